# The web client is made with Go and Node together; both are left behind.
FROM golang:1.26-bookworm AS build
# An older image fetches the Go that go.mod asks for.
ENV GOTOOLCHAIN=auto
COPY --from=node:22-bookworm-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:22-bookworm-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
# Fetched anew only when the lists of dependencies change.
COPY go.mod go.sum ./
RUN go mod download
COPY scripts/web scripts/
COPY web/package.json web/package-lock.json web/
RUN scripts/web install
COPY . .
ARG VERSION=dev
RUN --mount=type=cache,target=/root/.cache/go-build make web build VERSION="$VERSION"
# COPY keeps the modes of what is in a directory, not the directory's own.
RUN mkdir /image && mkdir -m 700 /image/data

# The binary is static, and starts itself to read documents: it needs nothing around it
# but the certificates of those it calls. SQLite's temporary files go to /data too: there
# is no other place that can be written.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /image/ /
COPY --from=build /src/bin/parley /parley
USER 65532:65532
ENV PARLEY_ADDR=:8080 PARLEY_DATA=/data TMPDIR=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/parley"]
CMD ["serve"]
