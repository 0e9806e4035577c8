# The web client is made with Go and Node together; both are left behind.
FROM golang:1.26-bookworm AS build
# An older image fetches the Go that go.mod asks for.
ENV GOTOOLCHAIN=auto
COPY --from=node:22-bookworm-slim /usr/local/bin/node /usr/local/bin/node
COPY --from=node:22-bookworm-slim /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN make web build VERSION="$VERSION" && mkdir /empty

# The binary is static, and starts itself to read documents: it needs nothing around it
# but the certificates of those it calls, and a place for temporary files.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chmod=1777 /empty /tmp
COPY --from=build --chown=65532:65532 --chmod=700 /empty /data
COPY --from=build /src/bin/parley /parley
USER 65532:65532
ENV PARLEY_ADDR=:8080 PARLEY_DATA=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/parley"]
CMD ["serve"]
