import { backendContract, type Skill } from '../../../backends/backend.contract.js';
import { fakeProvider } from '../../../backends/gateway/gateway-bench.js';
import { type Dialect, dialects, FakeSide, meteredBy } from './fake-side.js';

/** What programs of these kinds cannot do. */
const lacks: Readonly<Record<Dialect, Partial<Record<Skill, string>>>> = {
  claude: {},
  codex: { budget_between_requests: 'Codex tells what it used only at its end' },
  pi: { asks: 'pi takes no MCP server' },
  text: {
    asks: "a command line of one's own takes no MCP server",
    tools: 'plain text tells of no tools',
    usage: 'plain text tells of no usage',
    corrections: 'a conversation cannot continue',
    cut_off: 'plain text tells of no limit',
    sessions: 'plain text tells of no session',
    steering: 'a conversation cannot continue',
  },
};

/** A server of models that says what the request tells it to. */
async function obedientProvider(): Promise<string> {
  const { url } = await fakeProvider((response, { body, headers }) => {
    if (headers['x-api-key'] !== 'key-of-the-provider') return response.writeHead(401).end('no key');
    const { usage, refuse, retryAfter } = JSON.parse(body.toString());
    const wait = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    response.writeHead(refuse ?? 200, { 'content-type': 'application/json', ...wait });
    return response.end(
      JSON.stringify(refuse ? { error: { message: 'refused' } } : { type: 'message', usage }),
    );
  });
  return url;
}

/** What they cannot do even if the gateway counts what they use. */
const stillLacks: Readonly<Partial<Record<Dialect, Partial<Record<Skill, string>>>>> = {
  codex: {},
  text: { ...lacks.text, usage: undefined },
};

for (const [dialect, without] of Object.entries(stillLacks) as [Dialect, Partial<Record<Skill, string>>][]) {
  backendContract(`a metered command line that speaks like ${dialect}`, {
    attributes: `llm_provider="${dialects[dialect]}"`,
    make: async (scenes) => new FakeSide(dialect, scenes, meteredBy(await obedientProvider())),
    without,
  });
}

for (const [dialect, name] of Object.entries(dialects) as [Dialect, string][]) {
  backendContract(`a command line that speaks like ${dialect}`, {
    attributes: `llm_provider="${name}"`,
    make: async (scenes) => new FakeSide(dialect, scenes),
    without: lacks[dialect],
  });
}
