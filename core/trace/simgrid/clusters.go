package simgrid

import "strconv"

// cluster is a zone of its own with its hosts and its router.
func (rd *reader) cluster(e element) error {
	values, err := rd.needAll(e, "id", "prefix", "suffix")
	if err != nil {
		return err
	}
	z, err := rd.addZone(e, values[0], cluster)
	if err != nil {
		return err
	}
	if topology := e.get("topology", "FLAT"); topology != "FLAT" {
		rd.p.zones[z].topology = topology
	}
	if e.get("bb_bw", "") != "" {
		if rd.p.zones[z].backbone, err = rd.stretch(e, "bb_bw", "bb_lat"); err != nil {
			return err
		}
	}
	if err := rd.hosts(e, z); err != nil {
		return err
	}
	router := e.get("router_id", "")
	if router == "" {
		router = values[1] + values[0] + "_router" + values[2]
	}
	_, err = rd.addPoint(e, node{name: router, zone: z})
	return err
}

// hosts adds the hosts of a cluster or cabinet to a zone.
func (rd *reader) hosts(e element, z int32) error {
	values, err := rd.needAll(e, "prefix", "suffix", "radical", "lat")
	if err != nil {
		return err
	}
	speed, cores, err := rd.speed(e)
	if err != nil {
		return err
	}
	private, err := rd.stretch(e, "bw", "lat")
	if err != nil {
		return err
	}
	if limit := e.get("limiter_link", ""); limit != "" {
		bandwidth, err := rd.positive(e, "limiter_link", bandwidths)
		if err != nil {
			return err
		}
		private.bandwidth = min(private.bandwidth, bandwidth)
	}
	var failure error
	reason := radical(values[2], func(n int) bool {
		name := values[0] + strconv.Itoa(n) + values[1]
		failure = rd.addHost(e, node{name: name, zone: z, up: private, down: private}, speed, cores)
		return failure == nil
	})
	if reason != "" {
		return rd.bad(e, "radical", values[2], reason)
	}
	return failure
}
