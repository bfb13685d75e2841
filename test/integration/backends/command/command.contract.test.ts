import { backendContract, type Skill } from '../../../backends/backend.contract.js';
import { type Dialect, dialects, FakeSide } from './fake-side.js';

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
  },
};

for (const [dialect, name] of Object.entries(dialects) as [Dialect, string][]) {
  backendContract(`a command line that speaks like ${dialect}`, {
    attributes: `llm_provider="${name}"`,
    make: async (scenes) => new FakeSide(dialect, scenes),
    without: lacks[dialect],
  });
}
