/** A PostgreSQL server of this machine. */
export interface PostgresServer {
  readonly data: string;
  url(database: string): string;
  createDatabase(name: string): Promise<string>;
  start(): Promise<void>;
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  close(): Promise<void>;
}

export function startPostgres(options?: {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly data?: string;
}): Promise<PostgresServer>;

export function savePostgres(fill: (server: PostgresServer) => Promise<unknown>): Promise<string>;
