/** Tests of the service that do not run over the second engine: of what is decided before a store is asked, and of one engine alone. */
export const onlyOnce: readonly string[] = [
  ...['call-counter', 'clients', 'conformance', 'deployment', 'pgbouncer', 'forms', 'metrics'],
  ...[
    'postgres',
    'postgres-locks',
    'postgres-network',
    'postgres-sql',
    'postgres-statements',
    'power',
    'read-cache',
    'sqlite',
    'sqlite-locks',
  ],
];
