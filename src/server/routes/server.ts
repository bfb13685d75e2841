import { z } from 'zod';
import { chooseBackend, withDefaultModel } from '../../backends/choose-backend.js';
import { builtInBackends } from '../../backends/index.js';
import { keysFor } from '../../setup/keys.js';
import { allowedBackends } from '../../setup/policy/allowed-backends.js';
import { version } from '../../version.js';
import { type Capabilities, capabilitiesSchema } from '../api/language.js';
import { workerListSchema } from '../api/worker.js';
import { jsonAnswer, jsonTextAnswer, validatedAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { docsPage, docsStyle } from '../openapi/docs-page.js';
import { openApiDocument } from '../openapi/openapi-document.js';
import { ProblemError } from '../problem-error.js';
import { tokenNameOf } from '../security/require-token.js';
import { setContentPolicy } from '../security/security-headers.js';
import type { ServerParts } from '../server-parts.js';

const healthSchema = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });

/**
 * Routes about the server itself, and its description.
 * @param all the operations that are described, these among them
 */
export function serverRoutes(all: () => readonly Route[]): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/health',
      operation: 'getHealth',
      tag: 'server',
      isOpen: true,
      summary: 'Reports that the server is running; needs no token',
      answers: {
        200: { description: 'The server is running.', content: { 'application/json': healthSchema } },
      },
      problems: [],
      handle: ({ context }) => jsonAnswer(context, { status: 'ok', version }),
    }),
    defineRoute({
      method: 'get',
      path: '/capabilities',
      operation: 'getCapabilities',
      tag: 'server',
      summary: 'Returns what this server allows submitted pipelines to do',
      answers: {
        200: { description: 'The capabilities.', content: { 'application/json': capabilitiesSchema } },
      },
      problems: [],
      handle: async ({ context }, server) => jsonAnswer(context, await capabilitiesOf(server)),
    }),
    defineRoute({
      method: 'get',
      path: '/workers',
      operation: 'listWorkers',
      tag: 'server',
      summary: 'Lists the workers of the cluster, and how many runs each has',
      description: 'A server that executes its runs itself has none.',
      answers: {
        200: {
          description: 'Workers with a sign of life, the longest at work first.',
          content: { 'application/json': workerListSchema },
        },
      },
      problems: [],
      handle: async ({ context }, { registry }) =>
        jsonTextAnswer(context, JSON.stringify({ workers: (await registry.workers?.()) ?? [] })),
    }),
    defineRoute({
      method: 'get',
      path: '/metrics',
      operation: 'getMetrics',
      tag: 'server',
      summary: 'Returns metrics for Prometheus',
      answers: { 200: { description: 'The Prometheus text format.', content: { 'text/plain': null } } },
      problems: ['not_allowed'],
      async handle({ context }, { metrics, registry }) {
        if (registry.workers !== undefined && tokenNameOf(context) !== undefined)
          throw new ProblemError(
            'not_allowed',
            'metrics count the runs of all tenants; ask with the token of the server',
          );
        return context.body(await metrics.text(), 200, { 'content-type': metrics.contentType });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      operation: 'getDescription',
      tag: 'server',
      summary: 'Returns this API as OpenAPI 3.1',
      answers: {
        200: { description: 'The description.', content: { 'application/json': z.looseObject({}) } },
      },
      problems: [],
      handle: ({ context }) => jsonTextAnswer(context, described(all()).json),
    }),
    defineRoute({
      method: 'get',
      path: '/docs',
      operation: 'getDocs',
      tag: 'server',
      summary: 'Returns this API as a page',
      answers: { 200: { description: 'A page.', content: { 'text/html': null } } },
      problems: [],
      handle({ context }) {
        setContentPolicy(context, 'page');
        return validatedAnswer(context, described(all()).page, 'text/html; charset=utf-8', 'no-cache');
      },
    }),
    defineRoute({
      method: 'get',
      path: '/docs/style.css',
      operation: 'getDocsStyle',
      tag: 'server',
      summary: 'Returns the style sheet of that page',
      answers: { 200: { description: 'CSS.', content: { 'text/css': null } } },
      problems: [],
      handle: ({ context }) => validatedAnswer(context, docsStyle, 'text/css; charset=utf-8', 'no-cache'),
    }),
  ];
}

let made: { readonly json: string; readonly page: string } | undefined;

/** Description, made on the first request: a server that only runs pipelines needs none. */
function described(routes: readonly Route[]): { readonly json: string; readonly page: string } {
  if (made === undefined) {
    const document = openApiDocument(routes);
    made = { json: JSON.stringify(document), page: docsPage(document) };
  }
  return made;
}

async function capabilitiesOf(server: ServerParts): Promise<Capabilities> {
  const { extensions, options } = server;
  const { policy, maxRunning } = options;
  return {
    version,
    allow_tools: policy.allowTools,
    backends: [...allowedBackends(policy, extensions.backends.keys())],
    max_running: maxRunning,
    has_workers: server.registry.workers !== undefined,
    has_model: await hasModel(server),
  };
}

/** True if a stage that names no model can run. */
async function hasModel({
  extensions: { backend, backends, settings },
  options: { policy, variables: env, workingDirectory },
}: Pick<ServerParts, 'extensions' | 'options'>): Promise<boolean> {
  if (backend !== undefined && backends.has(backend)) return true;
  const { variables } = await keysFor(settings, { env });
  const nothing = { provider: undefined, model: undefined, reasoningEffort: 'high' };
  const environment = { workingDirectory, settings, variables, mayRunCommands: policy.allowTools };
  const definition = builtInBackends.find(({ name }) => name === backend);
  if (definition === undefined) return chooseBackend(nothing, environment).kind === 'backend';
  return definition.problemWith(withDefaultModel(nothing, settings), environment) === undefined;
}
