import type { ClientBase } from 'pg'

/*
 * `effects` is what business did, one row each, and what the tests count. The other tables are what each mechanism keeps,
 * `deliveries` every request that reached the server, `faults` what is to go wrong with which.
 */
const TABLES = `
  CREATE TABLE effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    route text NOT NULL,
    operation text NOT NULL,
    key text,
    request_id text,
    at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON effects (operation);

  CREATE TABLE deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    route text NOT NULL,
    operation text NOT NULL,
    key text,
    request_id text,
    at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX ON deliveries (operation);

  CREATE TABLE faults (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    route text NOT NULL,
    operation text NOT NULL,
    fault text NOT NULL
  );
  CREATE INDEX ON faults (operation, route);

  CREATE TABLE dedupe (
    person text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    status text NOT NULL CHECK (status IN ('processing', 'done', 'failed')),
    answer json,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person, key)
  );

  CREATE TABLE token_orders (
    token text NOT NULL,
    person text NOT NULL,
    answer json NOT NULL
  );
  -- Not unique: that a token is spent once is for Redis to see to, and for the tests to see.
  CREATE INDEX ON token_orders (token);

  CREATE TABLE numbered_orders (
    order_no text PRIMARY KEY,
    person text NOT NULL,
    item text NOT NULL,
    amount integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY
  );

  CREATE TABLE payments (
    id text PRIMARY KEY,
    status text NOT NULL CHECK (status IN ('PENDING', 'PAID', 'CANCELLED')),
    version integer NOT NULL
  );
`

/** Makes the tables, where there are none. */
export async function migrate(client: ClientBase): Promise<void> {
  await client.query(TABLES)
}
