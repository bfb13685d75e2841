import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attractor, temporaryDirectory } from './attractor.js';

/** A span as OTLP over HTTP has it in JSON. */
interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** A collector that keeps what it is sent. */
const received: { spans: ReceivedSpan[]; services: unknown[]; headers: unknown[] } = {
  ...{ spans: [], services: [], headers: [] },
};
let server: Server;
let endpoint: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      received.headers.push(request.headers['x-team']);
      for (const { resource, scopeSpans } of resourceSpans) {
        received.services.push(
          resource.attributes.find(({ key }: { key: string }) => key === 'service.name')?.value.stringValue,
        );
        for (const { spans } of scopeSpans) received.spans.push(...spans);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function project(): string {
  const cwd = temporaryDirectory();
  mkdirSync(cwd, { recursive: true });
  writeFileSync(
    path.join(cwd, 'p.dot'),
    'digraph p { start [shape=Mdiamond] exit [shape=Msquare] tell [shape=parallelogram, tool_command="echo hi"] start -> tell -> exit }',
  );
  return cwd;
}

describe('a run where an exporter is configured', () => {
  test('sends its spans to the collector', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=red',
      OTEL_SERVICE_NAME: 'pipelines',
    };
    const { status, stderr } = await attractor(['run', 'p.dot', '--json'], { cwd: project(), env });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const named = new Map(received.spans.map((span) => [span.name, span]));
    const root = named.get('invoke_workflow p');
    expect(root).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(root?.parentSpanId ?? '').toBe('');
    expect(named.get('stage tell')?.parentSpanId).toBe(root?.spanId);
    expect(named.get('attempt 1')?.traceId).toBe(root?.traceId);
    for (const { startTimeUnixNano, endTimeUnixNano } of received.spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    expect(received.services).toContain('pipelines');
    expect(received.headers).toContain('red');
  });

  test('continues without a collector, and says so once', async () => {
    // Nobody listens on port 9 of this machine.
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const { status, stdout, stderr } = await attractor(['run', 'p.dot'], { cwd: project(), env });
    expect(status).toBe(0);
    expect(stdout + stderr).toContain('success');
    expect((stdout + stderr).split('traces cannot be exported').length - 1).toBe(1);
    expect(stdout + stderr).not.toContain('    at ');
  });

  test('prints them where the console is the exporter, not between its own lines of data', async () => {
    const env = { OTEL_TRACES_EXPORTER: 'console' };
    const { status, stdout } = await attractor(['run', 'p.dot'], { cwd: project(), env });
    expect(status).toBe(0);
    expect(stdout).toContain('invoke_workflow p');
  });
});
