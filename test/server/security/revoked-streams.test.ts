import { expect, onTestFinished, test } from 'vitest';
import {
  addNamedToken,
  namedTokensDirectory,
  revokeNamedToken,
} from '../../../src/server/security/named-tokens.js';
import { cookieNameOf, cookieValueOf } from '../../../src/server/security/server-token.js';
import { startServer } from '../../../src/server/start-server.js';
import { silentLog } from '../../../src/telemetry/log.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { askingPipeline, eventually } from '../asked-server.js';
import { serverOptions } from '../runs/harness.js';

test.each(['bearer', 'cookie'] as const)(
  '§9.5: a token that was revoked (%s) ends its streams, which are told nothing more',
  async (way) => {
    const options = serverOptions(temporaryDirectory());
    const server = await startServer(options, silentLog);
    onTestFinished(() => server.close());
    const directory = namedTokensDirectory(options.tokenFile);
    const token = (name: string): string => addNamedToken(directory, name, new Date()) ?? '';
    const [alice, bob] = [token('alice'), token('bob')];
    const cookie = `${cookieNameOf(server.port)}=${cookieValueOf(alice)}`;
    const asAlice: Readonly<Record<string, string>> =
      way === 'bearer' ? { authorization: `Bearer ${alice}` } : { cookie };
    const asBob = { authorization: `Bearer ${bob}` };
    const { registry, streams } = server.parts;
    const { id } = await registry.submit({ dot: askingPipeline });
    await eventually(() => (registry.questions(id).length > 0 ? true : undefined));
    const url = `${server.url}/pipelines/${id}/events`;
    const texts = { alice: '', bob: '' };
    const read = async (name: keyof typeof texts, headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(url, { headers });
      expect(answer.status).toBe(200);
      for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) texts[name] += piece;
    };
    const reading = [read('alice', asAlice), read('bob', asBob)];
    const isAsked = (text: string) => text.includes('InterviewStarted');
    await eventually(() => (isAsked(texts.alice) && isAsked(texts.bob) ? true : undefined));
    const before = texts.alice;
    revokeNamedToken(directory, 'alice');
    await registry.answer(id, 'gate', 'Yes');
    await Promise.all(reading);
    expect(texts.alice).toBe(before);
    expect(texts.bob).toContain('event: end');
    expect(streams.size).toBe(0);
    expect((await fetch(url, { headers: asAlice })).status).toBe(401);
  },
);
