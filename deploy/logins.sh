#!/bin/sh
# Makes the roles of a cluster, a login of each for the workers and for a tenant. The image of PostgreSQL runs it on an empty database.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set worker_password="$(cat /run/secrets/worker_password)" \
  --set client_password="$(cat /run/secrets/client_password)" <<'SQL'
create role attractor_worker nologin;
create role attractor_client nologin;
create role machine login password :'worker_password' in role attractor_worker;
create role team_a login password :'client_password' in role attractor_client;
SQL
