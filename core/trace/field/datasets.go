package field

// datasets are the traces that are read, in the order in which they are tried. A further one is
// one line here.
var datasets = []*dataset{
	alibaba2018, alibaba2017, openb2023, pai2020, dlrm2025, spot2026, google2019, philly,
	azure, azure2020, huawei, bitbrains, planetlab, opendc, gwf, wtf, batsim, others,
}
