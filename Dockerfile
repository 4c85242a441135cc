# The page and the HTTP API in a container: docker build -t factscope . (docs/server.md says how to run it)
FROM python:3.12-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim-bookworm
# Nothing is written but below /data and /tmp: the root of the file system may be read-only.
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/data \
    FACTSCOPE_CACHE=/data/cache \
    FACTSCOPE_STORE=/data/runs.db
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/factscope-*.whl)[postgres,office]" \
    && rm -r /wheels \
    && groupadd --gid 10001 factscope \
    && useradd --uid 10001 --gid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin factscope
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8642
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8642/healthz', timeout=4)"]
ENTRYPOINT ["factscope"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8642", "--no-browser"]
