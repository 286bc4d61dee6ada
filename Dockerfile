# syntax=docker/dockerfile:1

# The one image of manager and agents. The bundle is JavaScript, so it is built once, on the builder's own platform, for all.
FROM --platform=$BUILDPLATFORM node:26-trixie-slim AS build
WORKDIR /src
# .dockerignore lists what this copies.
COPY . .
RUN npm ci && npm run build -- --image /image

FROM gcr.io/distroless/nodejs26-debian13:nonroot
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="groundcrew" \
      org.opencontainers.image.description="A BMC for every KubeVirt virtual machine, a DHCP server for every VM network" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
# All files of ours: /app. scripts/build.ts decides which, so that the tests run the same files.
COPY --from=build /image /
# What the C library has free goes back to the system early, and few threads share its arenas.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=65536
# By number: Kubernetes cannot tell from a name that it is not root.
USER 65532:65532
# Memory before speed, where that costs none: the heap is collected when it has grown by a fifth, the young generation stays
# small, and of the compilers there is one less, whose memory a process never gives back. Code that is not used any more is
# discarded soon. One thread collects the young generation: it is so small that waking others costs more, and it frees the
# buffers of datagrams itself. An idle process asks for collections itself. Node's interface to C is an experiment, of which it
# warns: agents give back memory, and send and encrypt packets with it.
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=4", "--heap-growing-percent=20", "--no-maglev", "--bytecode-old-age=2", "--no-parallel-scavenge", "--no-concurrent-array-buffer-sweeping", "--expose-gc", "--experimental-ffi", "--disable-warning=ExperimentalWarning", "/app/dist/groundcrew.js"]
CMD ["--help"]
