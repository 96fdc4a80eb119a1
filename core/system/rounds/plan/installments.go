package plan

// installments is MI, the multi-installment scheme of Bharadwaj, Ghose, Mani
// and Robertazzi that the paper compares with ([1]): m rounds fixed beforehand,
// latencies overlooked. With the chunks g_0 … g_(nm-1) in sending order and from the last one backwards,
// the last n finish together, and every earlier one keeps its worker busy
// until that worker's next chunk has arrived:
//
//	g_k/S = Σ_{l>k} g_l/B + g_last/S      (k in the last round)
//	g_k/S = Σ_{l=k+1..k+n} g_l/B          (earlier)
//
// normalised to the load. predicted is the makespan if there were no
// latencies.
func installments(p Platform, load float64, order []int, m int) (rows [][]float64, predicted float64) {
	n := len(order)
	rows = matrix(m, n)
	rows[m-1][n-1] = 1
	finish := 1 / p.Workers[order[n-1]].Speed
	total := 0.0
	below := make([]float64, n) // below[k]: sending time of chunks 0..k of the round behind
	for j := m - 1; j >= 0; j-- {
		row, sending := rows[j], 0.0 // sending time of this round's chunks behind k
		for k := n - 1; k >= 0; k-- {
			w := p.Workers[order[k]]
			if j < m-1 {
				row[k] = float64(w.Speed * (sending + below[k]))
			} else if k < n-1 {
				row[k] = float64(w.Speed * (sending + finish))
			}
			sending += row[k] / w.Bandwidth
			if total += row[k]; total > 1e200 { // chunks grow backwards where Σ S/B > 1
				scaleRows(rows[j:], 1/total)
				scaleRows([][]float64{below}, 1/total)
				sending /= total
				finish /= total
				total = 1
			}
		}
		sending = 0
		for k, i := range order {
			sending += row[k] / p.Workers[i].Bandwidth
			below[k] = sending
		}
	}
	scaleRows(rows, load/total)
	for _, row := range rows {
		for k, i := range order {
			predicted += row[k] / p.Workers[i].Bandwidth
		}
	}
	return rows, predicted + rows[m-1][n-1]/p.Workers[order[n-1]].Speed
}

func scaleRows(rows [][]float64, factor float64) {
	for _, row := range rows {
		for k := range row {
			row[k] *= factor
		}
	}
}
