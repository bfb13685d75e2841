import type { BackendCall } from '../../handlers/codergen-backend.js';
import type { Answer } from '../../machine/interview.js';
import { verdictTool } from '../verdict.js';
import { verdictServerName } from '../verdict-server/answer-mcp.js';
import type { PermissionPolicy } from './acp-agent.js';
import { type Fields, recordIn, recordsIn, textIn } from './fields.js';
import { insideDirectory, promptValueIn } from './inside-directory.js';
import { nameOf } from './tool-calls.js';

/** Policy and call for a decision about a permission. */
export interface Permissions {
  readonly policy: PermissionPolicy;
  readonly title: string;
  readonly call: Pick<BackendCall, 'workingDirectory' | 'logsRoot' | 'ask' | 'log'>;
}

/** Answer to `session/request_permission`, in the format of the protocol. */
export interface PermissionAnswer {
  readonly outcome: { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };
}

/**
 * Decides if an agent may do something that it asks permission for. Agents work unattended, so by default
 * they may, as long as they change no file outside the working directory.
 * @param toolCall all known fields of the call
 */
export async function decidePermission(
  request: Fields,
  toolCall: Fields,
  permissions: Permissions,
): Promise<PermissionAnswer> {
  const isAllowed =
    isVerdict(toolCall) ||
    readsPromptValue(toolCall, permissions.call) ||
    (await isAllowedBy(permissions, toolCall));
  const options = recordsIn(request, 'options');
  const kinds = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = kinds
    .map((kind) => options.find((one) => one.kind === kind))
    .find((one) => one !== undefined);
  const optionId = textIn(option, 'optionId');
  // Without an option to refuse, the answer is that nobody has answered.
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}

/**
 * True for the verdict, which the stage itself asks for and which is never refused; the name is that of our
 * own server, in the spellings of the agents.
 */
function isVerdict(toolCall: Fields): boolean {
  const input = recordIn(toolCall, 'rawInput');
  if (input.server === verdictServerName && input.tool === verdictTool) return true;
  // The title of a command is the command.
  if (toolCall.kind === 'execute') return false;
  const names = [textIn(toolCall, 'name'), nameOf(toolCall), textIn(toolCall, 'title')];
  return names.some((name) => name !== undefined && verdictNames.test(name));
}

const verdictNames = new RegExp(
  `^(?:tool: |mcp\\.)?(?:(?:mcp_{1,2})?${verdictServerName}(?:_{1,2}|[./:]| - ))?${verdictTool}(?: \\(${verdictServerName} MCP Server\\))?(?:: ?\\{.*\\})?$`,
  's',
);

/** True for reading values that were too long for the prompt: they belong to the prompt. */
function readsPromptValue(toolCall: Fields, { logsRoot }: Permissions['call']): boolean {
  if (toolCall.kind !== 'read') return false;
  const files = recordsIn(toolCall, 'locations').map((place) => textIn(place, 'path'));
  return (
    files.length > 0 &&
    files.every((file) => file !== undefined && promptValueIn(file, logsRoot) !== undefined)
  );
}

async function isAllowedBy({ policy, title, call }: Permissions, toolCall: Fields): Promise<boolean> {
  const what = nameOf(toolCall);
  const outside = pathsChangedBy(toolCall).find(
    (file) => insideDirectory(file, call.workingDirectory) === undefined,
  );
  if (outside !== undefined) {
    call.log('warning', `${title} was not allowed to change ${outside}: it is outside the working directory`);
    return false;
  }
  switch (policy) {
    case 'allow':
      return true;
    case 'deny':
      call.log('info', `${title} was not allowed "${what}": its permissions are set to "deny"`);
      return false;
    case 'ask':
      return askPerson(title, what, toolCall, call);
  }
}

const changingKinds: ReadonlySet<unknown> = new Set(['edit', 'delete', 'move']);

function pathsChangedBy(toolCall: Fields): readonly string[] {
  if (!changingKinds.has(toolCall.kind)) return [];
  const places = [...recordsIn(toolCall, 'locations'), ...recordsIn(toolCall, 'content')];
  return places.flatMap((place) => textIn(place, 'path') ?? []);
}

/** Characters of the input of a tool that are shown. */
const inputShown = 2000;

async function askPerson(
  title: string,
  what: string,
  toolCall: Fields,
  { ask }: Permissions['call'],
): Promise<boolean> {
  const input = JSON.stringify(recordIn(toolCall, 'rawInput')).slice(0, inputShown);
  const shown = textIn(toolCall, 'title') ?? what;
  // The label includes the request, so that a stage that runs again does not apply the answer to another
  // one.
  const yes = { key: 'Y', label: `Allow ${shown} ${input}` };
  const no = { key: 'N', label: `Refuse ${shown}` };
  while (true) {
    const answer = await ask({
      type: 'MULTIPLE_CHOICE',
      text: `${title} asks for permission: ${shown}\n${input}`,
      options: [yes, no],
    });
    const given = decisionIn(answer, yes.label, no.label);
    if (given !== undefined) return given;
  }
}

/** Decision in an answer; undefined for an answer to another question. */
function decisionIn(
  { value, selected_option: option }: Answer,
  yes: string,
  no: string,
): boolean | undefined {
  if (option === undefined || value === 'TIMEOUT' || value === 'SKIPPED') return false;
  if (option.label === yes) return true;
  return option.label === no ? false : undefined;
}
