import type { PipelineRun, Setup } from '../../run/harness.js';
import { type BenchOptions, bench, stage } from './bench.js';
import { type Reply, replyServer, type WireFormat } from './faults.js';

export interface Played extends PipelineRun {
  readonly requests: readonly unknown[];
}

/** Plays a stage against a server with these replies. */
export async function play(
  format: WireFormat,
  replies: readonly Reply[],
  {
    attributes = '',
    setup,
    ...more
  }: BenchOptions & { readonly attributes?: string; readonly setup?: Setup } = {},
): Promise<Played> {
  const server = await replyServer(format, replies);
  const { variables, providers } = format.options(server.url);
  const { run } = await bench([], {
    ...more,
    variables: { ...variables, ...more.variables },
    settings: {
      ...more.settings,
      providers: new Map([...(providers ?? []), ...(more.settings?.providers ?? [])]),
    },
  });
  const played = await run(stage(`${format.attributes}, ${attributes}max_retries=0`), setup);
  return { ...played, requests: server.requests };
}
