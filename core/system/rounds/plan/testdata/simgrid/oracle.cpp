// An independent simulator for plans of divisible loads: SimGrid's S4U plays
// what the planner made. Build: g++ -O1 -std=c++17 oracle.cpp -lsimgrid
//
// Standard input: workers and rounds; for each worker in sending order its
// speed, bandwidth, computing and sending latency; then the chunks row by row.
// Standard output: the makespan in simulated seconds and the wall time of the
// simulation in seconds.
//
// The network model is CM02 without cross traffic or a TCP window, so that a
// message takes latency + size/bandwidth. The master sends one message after
// the other (one port); each worker has an actor that receives and one that
// computes (receiving overlaps computing).

#include <chrono>
#include <cmath>
#include <deque>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

// Sizes of messages are integers: a work unit is this many bytes.
static constexpr double bytes_per_unit = 1e6;

struct Worker {
  double speed, bandwidth, comp_latency, comm_latency;
  int chunks = 0;
  std::deque<double> arrived;
  sg::SemaphorePtr filled = sg::Semaphore::create(0);
};

static double makespan = 0;

static void receive(Worker* w, sg::Mailbox* box)
{
  for (int left = w->chunks; left > 0; left--) {
    w->arrived.push_back(*box->get_unique<double>());
    w->filled->release();
  }
}

static void compute(Worker* w)
{
  for (int left = w->chunks; left > 0; left--) {
    w->filled->acquire();
    double amount = w->arrived.front();
    w->arrived.pop_front();
    sg::this_actor::sleep_for(w->comp_latency);
    sg::this_actor::execute(amount);
  }
  makespan = std::max(makespan, sg::Engine::get_clock());
}

int main(int argc, char** argv)
{
  sg::Engine engine(&argc, argv);
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:1e30");

  int n, m;
  std::cin >> n >> m;
  std::vector<Worker> workers(n);
  for (auto& w : workers)
    std::cin >> w.speed >> w.bandwidth >> w.comp_latency >> w.comm_latency;
  std::vector<double> chunks(static_cast<size_t>(n) * m);
  for (size_t i = 0; i < chunks.size(); i++) {
    std::cin >> chunks[i];
    workers[i % n].chunks += chunks[i] > 0;
  }
  if (not std::cin) {
    std::cerr << "the plan ends early\n";
    return 2;
  }

  auto* zone   = sg::create_full_zone("platform");
  auto* master = zone->create_host("master", 1.0)->seal();
  std::vector<sg::Mailbox*> boxes;
  for (int k = 0; k < n; k++) {
    auto& w    = workers[k];
    auto name  = std::to_string(k);
    auto* host = zone->create_host(name, w.speed)->seal();
    auto* link = zone->create_link("l" + name, w.bandwidth * bytes_per_unit)->set_latency(w.comm_latency)->seal();
    zone->add_route(master->get_netpoint(), host->get_netpoint(), nullptr, nullptr, {sg::LinkInRoute(link)}, true);
    boxes.push_back(sg::Mailbox::by_name(name));
    sg::Actor::create("receive", host, receive, &w, boxes[k]);
    sg::Actor::create("compute", host, compute, &w);
  }
  zone->seal();
  sg::Actor::create("master", master, [&chunks, &boxes, n] {
    for (size_t i = 0; i < chunks.size(); i++)
      if (chunks[i] > 0)
        boxes[i % n]->put(new double(chunks[i]), static_cast<uint64_t>(std::llround(chunks[i] * bytes_per_unit)));
  });

  auto start = std::chrono::steady_clock::now();
  engine.run();
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::cout.precision(17);
  std::cout << makespan << " " << wall.count() << "\n";
}
