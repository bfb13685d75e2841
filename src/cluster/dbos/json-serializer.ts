import type { DBOSConfig } from '@dbos-inc/dbos-sdk';

/**
 * Form of the data in the tables of DBOS: plain JSON. The serializer of DBOS, which knows dates and maps too, takes several
 * times as long, and wraps each value.
 */
export const jsonSerializer = {
  name: () => 'json',
  parse: (text: string | null | undefined): unknown =>
    text === null || text === undefined ? null : JSON.parse(text),
  stringify: (value: unknown) => JSON.stringify(value ?? null),
} satisfies DBOSConfig['serializer'];
