// An independent simulator for schedules of task graphs: SimGrid's S4U does what a plan
// says, each processor its tasks in the planned order. Build: g++ -O1 -std=c++17
// oracle.cpp -lsimgrid
//
// Standard input: how many processors, tasks and arcs; the speed and bandwidth of each
// processor; of each task its work and its processor, in the order of planned starts; of
// each arc the two tasks and the bytes. Standard output: the finish of each task.
//
// Results leave a processor over a link of its own that any number share without loss
// (FATPIPE), as static list schedulers assume; the network model is CM02 without cross
// traffic or a TCP window, so that a result takes size/bandwidth.

#include <cmath>
#include <cstdio>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

struct Arc {
  int from, to;
  double bytes;
};
struct Task {
  double work;
  int processor;
  std::vector<int> in, out;
  double finish = -1;
};

static std::vector<Task> tasks;
static std::vector<Arc> arcs;

static bool travels(const Arc& a) { return tasks[a.from].processor != tasks[a.to].processor && a.bytes > 0; }

static sg::Mailbox* box(int arc) { return sg::Mailbox::by_name("arc" + std::to_string(arc)); }

// Results without bytes, or for the same processor, are there at once: a semaphore tells.
static std::vector<sg::SemaphorePtr> there;

static void processor(std::vector<int> own)
{
  std::vector<int*> received(arcs.size(), nullptr);
  std::vector<sg::CommPtr> comms(arcs.size());
  for (int v : own)
    for (int a : tasks[v].in)
      if (travels(arcs[a]))
        comms[a] = box(a)->get_async<int>(&received[a]);
  for (int v : own) {
    for (int a : tasks[v].in) {
      if (travels(arcs[a]))
        comms[a]->wait();
      else
        there[a]->acquire();
    }
    if (tasks[v].work > 0)
      sg::this_actor::execute(tasks[v].work);
    tasks[v].finish = sg::Engine::get_clock();
    for (int a : tasks[v].out) {
      if (travels(arcs[a]))
        box(a)->put_init(&tasks[v].processor, arcs[a].bytes)->detach();
      else
        there[a]->release();
    }
  }
}

int main(int argc, char** argv)
{
  sg::Engine engine(&argc, argv);
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:1e30");
  int n, m, k;
  std::cin >> n >> m >> k;
  auto* zone = sg::create_full_zone("all");
  std::vector<sg::Host*> hosts;
  std::vector<sg::Link*> links;
  for (int i = 0; i < n; i++) {
    double speed, bandwidth;
    std::cin >> speed >> bandwidth;
    hosts.push_back(zone->create_host("p" + std::to_string(i), speed));
    links.push_back(zone->create_link("l" + std::to_string(i), bandwidth)->set_latency(0)->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE)->seal());
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j)
        zone->add_route(hosts[i]->get_netpoint(), hosts[j]->get_netpoint(), nullptr, nullptr, {sg::LinkInRoute(links[i])}, false);
  zone->seal();
  tasks.resize(m);
  std::vector<std::vector<int>> own(n);
  for (int v = 0; v < m; v++) {
    int name;
    double work;
    int p;
    std::cin >> name >> work >> p;
    tasks[name].work = work;
    tasks[name].processor = p;
    own[p].push_back(name);
  }
  arcs.resize(k);
  for (int a = 0; a < k; a++) {
    std::cin >> arcs[a].from >> arcs[a].to >> arcs[a].bytes;
    tasks[arcs[a].from].out.push_back(a);
    tasks[arcs[a].to].in.push_back(a);
    there.push_back(sg::Semaphore::create(0));
  }
  for (int i = 0; i < n; i++)
    sg::Actor::create("a" + std::to_string(i), hosts[i], processor, own[i]);
  engine.run();
  for (const Task& t : tasks)
    printf("%.12g\n", t.finish);
  return 0;
}
