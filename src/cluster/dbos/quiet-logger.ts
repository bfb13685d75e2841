import type { DBOSClient } from '@dbos-inc/dbos-sdk';

type Logger = Parameters<typeof DBOSClient.create>[0]['logger'];

/** Keeps what DBOS tells of its own work off the standard output, which belongs to the command. */
export const quietLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (entry) => void process.stderr.write(`${String(entry)}\n`),
};
