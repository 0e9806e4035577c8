# The web client needs both Go and Node to build.
FROM golang:1.26-bookworm AS build
# An older image downloads the Go version that go.mod names.
ENV GOTOOLCHAIN=auto
COPY --from=node:22-bookworm-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:22-bookworm-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
# These layers change only with the dependencies.
COPY go.mod go.sum ./
RUN go mod download
COPY scripts/web scripts/
COPY web/package.json web/package-lock.json web/
RUN scripts/web install
COPY . .
ARG VERSION=dev
RUN --mount=type=cache,target=/root/.cache/go-build make web build VERSION="$VERSION"
# COPY keeps the modes of files in a directory, but not of the directory itself.
RUN mkdir /image && mkdir -m 700 /image/data

# The binary is static and starts itself to read documents. It needs only CA certificates. SQLite's temporary files go
# to /data too, the only directory that can be written. Scanned pages need Tesseract too: see docs/documents.md.
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
