// What SimGrid itself makes of a platform file: for a master, every other
// host's name, speed, cores, and the smallest bandwidth and the latency of the
// route. Build: g++ -O1 -std=c++17 oracle.cpp -lsimgrid

#include <iostream>
#include <limits>
#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

int main(int argc, char** argv)
{
  sg::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  engine.seal_platform(); // computes the chains of Floyd zones
  const auto* master = engine.host_by_name(argv[2]);
  std::cout.precision(17);
  for (auto* host : engine.get_all_hosts()) {
    if (host == master)
      continue;
    std::vector<sg::Link*> links;
    double latency   = 0;
    double bandwidth = std::numeric_limits<double>::infinity();
    try {
      master->route_to(host, links, &latency);
    } catch (const std::exception& e) {
      std::cerr << host->get_name() << ": " << e.what() << "\n";
      continue;
    }
    for (auto* link : links)
      bandwidth = std::min(bandwidth, link->get_bandwidth());
    std::cout << host->get_name() << " " << host->get_speed() << " " << host->get_core_count() << " " << bandwidth << " "
              << latency << "\n";
  }
}
