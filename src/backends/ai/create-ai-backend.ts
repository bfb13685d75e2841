import { realpath } from 'node:fs/promises';
import type { Node } from '../../graph/graph.js';
import { modelFallbacks } from '../../graph/model-choice.js';
import type { BackendCall, BackendReply } from '../../handlers/codergen-backend.js';
import { failure, type Outcome } from '../../machine/outcome.js';
import { noRedactor } from '../../secrets/redactor.js';
import { isInteractive } from '../ask-person.js';
import type { BackendEnvironment, ClosableBackend } from '../backend.js';
import { hasToolHooks, toolHooks } from '../tool-hooks.js';
import type { AiPorts } from './ai-ports.js';
import { chooseTools, readsFiles } from './choose-tools.js';
import { converse } from './converse.js';
import { findProvider, type ModelAddress } from './find-provider.js';
import { McpServers } from './mcp-servers.js';
import { ModelLine } from './model-line.js';
import { openConversation, promptFor } from './open-conversation.js';
import { providerOptions } from './provider-options.js';
import { defaultMaxRequests, defaultRequestRetries } from './request-limits.js';
import { StageDialogue } from './stage-dialogue.js';
import { ToolCaller } from './tool-caller.js';
import type { ToolContext } from './tools/agent-tool.js';
import { askPerson } from './tools/ask-person.js';
import { beginRecord } from './turn-record.js';
import { withoutKeys } from './without-keys.js';

const defaultIdleSeconds = 600;
const defaultCommandSeconds = 120;

/** Makes the `ai` backend, whose libraries are loaded by now. */
export function createAiBackend(environment: BackendEnvironment, ports: AiPorts): ClosableBackend {
  // Warnings of the library become entries of the run log.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const servers = new McpServers(environment.settings.mcp_servers, environment.workingDirectory);
  return {
    readsFiles: (node) => readsFiles(node, environment.mayRunCommands !== false),
    async run(node, prompt, _context, call) {
      const reading = findProvider(call.model, environment);
      if (reading.kind !== 'found') return terminal(`"${node.id}" cannot ask a model: ${reading.problem}`);
      return runStage({ environment, ports, servers, address: reading.address, node, prompt, call });
    },
    async close() {
      await servers.close();
      await ports.close();
    },
  };
}

interface StageParts {
  readonly environment: BackendEnvironment;
  readonly ports: AiPorts;
  readonly servers: McpServers;
  readonly address: ModelAddress;
  readonly node: Node;
  readonly prompt: string;
  readonly call: BackendCall;
}

async function runStage(parts: StageParts): Promise<BackendReply | Outcome> {
  const { environment, ports, servers, address, node, prompt, call } = parts;
  call.steering?.open();
  const { ai = {} } = environment.settings;
  const context = await toolContextOf(parts);
  if (context === undefined)
    return terminal(`the working directory "${call.workingDirectory}" does not exist`);
  const mayRunCommands = environment.mayRunCommands !== false;
  if (!mayRunCommands && hasToolHooks(node, call.graph)) {
    return terminal(
      `"${node.id}" has tool hooks, which are commands, but this pipeline may not run commands`,
    );
  }
  const chosen = await chooseTools(node, servers, mayRunCommands);
  const warn = onceEach((message) => call.log('warning', `"${node.id}": ${message}`));
  const session = openConversation(node, call);
  const told = await promptFor(prompt, session, call);
  const record = await beginRecord(node.id, `${address.provider}/${address.model}`, call);
  session?.begin();
  const mayAsk = isInteractive(node);
  const tools = mayAsk ? [...chosen, askPerson(call, record)] : chosen;
  const caller = new ToolCaller(tools, toolHooks(node, call), context, call, record);
  const ending = await converse({
    line: modelLine(parts, warn),
    patience: {
      retries: ai.request_retries ?? defaultRequestRetries,
      idleTimeout: (ai.idle_timeout ?? defaultIdleSeconds) * 1000,
      random: ports.random,
    },
    call,
    tools,
    situation: { root: context.root, hasTools: chosen.length > 0, mayAsk },
    session,
    prompt: told,
    warn,
    record,
    dialogue: new StageDialogue(call, node.id, caller),
    maxRequests: ai.max_requests ?? defaultMaxRequests,
    maxOutputTokens: ai.max_output_tokens,
  });
  if (ending.turn !== undefined) session?.keep(ending.turn);
  return ending.reply;
}

function modelLine(
  { environment, ports, address, node, call }: StageParts,
  warn: (message: string) => void,
): ModelLine {
  const { reasoningEffort } = call.model;
  return new ModelLine({
    ports,
    warn,
    first: address,
    fallbacks: modelFallbacks(call.graph, node),
    find: (model) => findProvider({ ...model, reasoningEffort }, environment),
    optionsFor: (one) => providerOptions(one, reasoningEffort, warn),
  });
}

async function toolContextOf({ environment, call }: StageParts): Promise<ToolContext | undefined> {
  const root = await realpath(call.workingDirectory).catch(() => undefined);
  const seconds = environment.settings.ai?.command_timeout ?? defaultCommandSeconds;
  if (root === undefined) return undefined;
  return {
    root,
    runDirectory: await realpath(call.logsRoot).catch(() => call.logsRoot),
    signal: call.signal,
    redactor: call.redactor ?? noRedactor,
    commandTimeout: seconds * 1000,
    environment: () => withoutKeys(call.environment(), environment.settings),
  };
}

/** Reports each message once: providers repeat their warnings with every request. */
function onceEach(tell: (message: string) => void): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    tell(message);
  };
}

function terminal(reason: string): Outcome {
  return failure(reason, { retryable: false, failure_category: 'terminal' });
}
