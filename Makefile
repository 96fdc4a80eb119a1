# Parley. `make run` and `make test` are all a newcomer needs; both install what
# is missing, ask nothing and can be run again. `make help` lists the rest.

# What `make test` needs from Debian: a browser and a display. `make run` needs none of it.
DEBIAN := chromium xvfb libgl1-mesa-dri libx11-6 xauth

# What `make verify` needs besides: a lighter Chromium, oracles, an emulated processor, other browsers.
ORACLES := chromium-headless-shell gcc libc6-dev libxml2-utils glpk-utils g++ libsimgrid-dev qemu-user firefox-esr webkit2gtk-driver python3 python3-pandas

# Version stamps of the checkout would make two builds of one source differ,
# and git refuses to tell them to another user than the checkout's owner.
# Without its path in what is built, a second checkout builds nothing anew.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false -trimpath)

# PORT=8123 make run; without it 8080, or a free port when 8080 is taken.
PORT ?=

NODE_MODULES := site/node_modules/.installed

# make mutate PKG=./core/des
PKG ?=

# make bench NAME=kernel
NAME ?=

# make fuzz MINUTES=60
MINUTES ?= 60

# make flaky FILE=site/test/e2e/smoke.test.ts N=50
FILE ?=
N ?= 50

.PHONY: help run test verify flaky fuzz test-edge test-cluster test-kubernetes edge dist desktop bench mutate gallery release fmt clean programs hooks debian oracles

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

run: programs hooks $(NODE_MODULES) ## build the page, serve it here, print its address (PORT=8123, FRAMES=https://example.org to be shown in its pages)
	@go run ./tools/build --out dist
	@go build -o bin/serve ./tools/serve
	@exec bin/serve --dir dist --links bin/links $(if $(PORT),--port $(PORT)) $(if $(FRAMES),--frames "$(FRAMES)")

test: programs hooks debian $(NODE_MODULES) ## check what a change breaks first: at most 10 minutes on two cores
	@go build -o bin/check ./tools/check
	@exec bin/check

verify: programs debian oracles $(NODE_MODULES) ## check everything, as before a release: 30 to 50 minutes on two cores
	@go build -o bin/check ./tools/check
	@exec bin/check --verify

flaky: programs debian oracles $(NODE_MODULES) ## run one file of browser tests N=50 times on busy cores: FILE=site/test/e2e/smoke.test.ts
	@go run ./tools/build --out dist
	@npm --prefix site run --silent flaky -- $(if $(FILE),$(notdir $(FILE)),$(error say which file, as in make flaky FILE=site/test/e2e/smoke.test.ts)) $(N)

fuzz: ## run all fuzz tests in turn, MINUTES=60 together, and keep the inputs that they find in testdata/fuzz
	@go run ./tools/fuzz --minutes $(MINUTES)

test-edge: programs wasm/edge/build/edge.wasm wasm/edge/node_modules/.installed ## short links on Cloudflare's runtime, 195 MB to install (PARLEY_LOAD_SECONDS=30 for long)
	@npm --prefix wasm/edge run --silent dry-run
	@npm --prefix wasm/edge run --silent test

edge: programs $(NODE_MODULES) wasm/edge/build/edge.wasm ## the page and its short links for Cloudflare, which wasm/edge/wrangler.jsonc deploys
	@go run ./tools/build --out dist

test-cluster: programs ## a sweep on a real Slurm, set up here as root (installs it on Debian), and Kubernetes manifests against its API's types
	@sh tools/install/debian.sh slurm-wlm munge
	@go test -tags cluster -count=1 -run TestSlurm -v ./tools/parley
	@cd tools/parley/sweeps/testdata/kubernetes && go test -count=1 -v ./...

test-kubernetes: ## filters, reasons and scores of Kubernetes' pods against kube-scheduler itself (CASES=1200, DUMPS=FOLDER of dumps; builds it once, five minutes of processor), rollouts against the controllers (CONTROLLERS=500), consolidation against Karpenter (500 and 2,000 cases or CASES, one more minute); SHORT=1 for few cases
	@echo "public dumps: $(if $(DUMPS),$(wildcard $(DUMPS)/*.json),none. DUMPS=FOLDER takes its *.json - lists of nodes and pods)"
	@cd core/kube/constraint/testdata/kubernetes && go test -count=1 -v -timeout 1h $(if $(SHORT),-short) ./...
	@cd core/kube/plane/testdata/controllers && go test -count=1 -v -timeout 2h $(if $(SHORT),-short) .
	@cd core/kube/plane/testdata/karpenter && go test -count=1 -v -timeout 1h $(if $(SHORT),-short) .

dist: programs $(NODE_MODULES) ## the static site in dist/, precompressed, ready to upload (ADDRESS=https://your.host/ for the picture in previews)
	@go run ./tools/build --out dist --compress --check-budgets $(if $(ADDRESS),--address "$(ADDRESS)")

release: programs $(NODE_MODULES) ## page, programs, a lecture hall's zip, image, SBOM and checksums in release/ (VERSION=0.2.0 make release)
	@go run ./tools/build/release --out release $(if $(VERSION),--version $(VERSION))

desktop: programs ## the native window: bin/parley-desktop
	@CGO_ENABLED=0 go build -o bin/parley-desktop ./tools/desktop
	@echo "Start it with bin/parley-desktop."

bench: programs ## measure the speed figures of docs/speed.md here: all, or NAME=kernel
	@go build -o bin/bench ./tools/bench
	@bin/bench $(NAME)

mutate: programs ## change one operator of PKG=./core/des at a time: which tests notice?
	@go build -o bin/mutate ./tools/mutate
	@bin/mutate --table docs/mutation.md $(if $(PKG),$(PKG),$(error say which package, as in make mutate PKG=./core/des))

messages: programs ## write the messages between page and workers anew from core/message
	@go run ./tools/messages

gallery: programs ## play the questions of the gallery and write its cards anew
	@go run ./tools/gallery

fmt: programs $(NODE_MODULES) ## format all Go, TypeScript and CSS files
	@go build -o bin/check ./tools/check
	@bin/check --fix

clean: ## remove what was built
	@rm -rf bin dist release wasm/edge/build $(NODE_MODULES)

# Commits of this checkout pass tools/hooks/commit-msg, unless its owner has hooks elsewhere.
hooks:
	@git config core.hooksPath >/dev/null 2>&1 || git config core.hooksPath tools/hooks 2>/dev/null || true

programs:
	@sh tools/install/programs.sh go node npm

debian:
	@sh tools/install/debian.sh $(DEBIAN)

oracles:
	@sh tools/install/debian.sh $(ORACLES)

.PHONY: wasm/edge/build/edge.wasm
wasm/edge/build/edge.wasm:
	@mkdir -p wasm/edge/build
	@cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" wasm/edge/build/
	@GOOS=js GOARCH=wasm go build -ldflags="-s -w" -o $@ ./wasm/edge

wasm/edge/node_modules/.installed: wasm/edge/package.json wasm/edge/package-lock.json
	npm --prefix wasm/edge ci --no-audit --no-fund
	@touch $@

$(NODE_MODULES): site/package.json site/package-lock.json
	npm --prefix site ci --no-audit --no-fund
	@touch $@
