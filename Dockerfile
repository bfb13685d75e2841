# The command line of attractor-dot, from the package registry: docker build --tag attractor .
#   docker run --init --rm --volume "$PWD:/work" attractor lint pipelines
# Digests are left out: Renovate and Dependabot follow the tag.
FROM node:20.19.5-slim

# What stages with --git need.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*

# renovate: datasource=npm depName=attractor-dot
ARG ATTRACTOR_VERSION=0.2.0
RUN npm install --global --no-audit --no-fund "attractor-dot@${ATTRACTOR_VERSION}" \
    && npm cache clean --force

# User 1000, which owns the files of most people who mount a directory.
USER node
WORKDIR /work
ENTRYPOINT ["attractor"]
CMD ["--help"]
