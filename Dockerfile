# One image for web, worker and maintenance; compose.yaml sets the command of each.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MOSS_HOME=/var/lib/moss \
    MOSS_STATIC_ROOT=/opt/moss/static

# libarchive for 7z, RAR and Zstandard archives; git for submissions in repositories.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends git libarchive13t64 && rm -rf /var/lib/apt/lists/*

# The number is that of deploy/kubernetes, too.
RUN groupadd --system --gid 999 moss && useradd --system --uid 999 --gid moss --create-home --home-dir /var/lib/moss moss && mkdir -p /opt/moss && chown moss /opt/moss

COPY requirements-server.lock /tmp/
RUN pip install --no-cache-dir --no-deps --require-hashes -r /tmp/requirements-server.lock
COPY . /tmp/source
# `docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .` has `moss --version` say it: git is not here.
ARG COMMIT=""
RUN [ -z "$COMMIT" ] || echo "$COMMIT" > /tmp/source/moss/commit.txt
# The wheel that pip builds here carries the compiled engine.
RUN pip install --no-cache-dir --no-deps /tmp/source

USER moss
WORKDIR /var/lib/moss
# It needs no database. The secret key is used in this step only.
RUN SECRET_KEY=build moss manage collectstatic --no-input

VOLUME /var/lib/moss
EXPOSE 8000
CMD ["gunicorn", "--config=python:moss.serving.gunicorn_conf"]
