import { z } from 'zod';
import { version } from '../../version.js';
import { type ProblemCode, problemSchema } from '../api/problem.js';
import type { BodyKind } from '../http/read-body.js';
import { concernsRuns, type Route, type RouteAnswer } from '../http/route.js';
import { problemStatus } from '../problem-error.js';
import { SchemaBook } from './schema-book.js';
import { parameterWords, problemWords, tagWords } from './words.js';

/** Description in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0), the part that is used here. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: unknown;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: unknown }>>;
  readonly content?: OpenApiContent;
}

type OpenApiContent = Readonly<Record<string, { readonly schema: unknown }>>;

/** The contract of the server (§9.5), made from the same table and schemas that requests are checked by. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const schemas = new SchemaBook();
  const operations = routes.map((route) => [route, operationOf(route, schemas)] as const);
  const paths = new Map<string, Record<string, OpenApiOperation>>();
  for (const [{ path, method }, operation] of operations) {
    paths.set(path, { ...paths.get(path), [method]: operation });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'attractor',
      version,
      summary:
        'Run, watch and steer pipelines written in Graphviz DOT over HTTP, and answer their questions.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // The server that serves this document, by whichever name it was asked.
    servers: [{ url: '/', description: 'This server.' }],
    tags: Object.entries(tagWords).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { cookie: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The text of the token file of the server.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'attractor-<port>',
          description: 'The cookie that the link printed by the server sets in a browser.',
        },
      },
    },
  };
}

function operationOf(route: Route, schemas: SchemaBook): OpenApiOperation {
  const parameters = parametersOf(route, schemas);
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: route.isOpen ? [] : undefined,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: route.body && {
      required: route.body.kind !== 'optional_json',
      content: bodyContent(route.body.kind, schemas.reference(route.body.schema)),
    },
    responses: { ...answersOf(route, schemas), ...problemsOf(route, schemas) },
  };
}

function parametersOf({ path, query, headers = {} }: Route, schemas: SchemaBook): OpenApiParameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const described = (name: string) => {
    const description = parameterWords.get(name);
    return description === undefined ? {} : { description };
  };
  return [
    ...names.map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      ...described(name),
      schema: { type: 'string' },
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      name,
      in: 'query' as const,
      required: !z.safeParse(schema as z.ZodType, undefined).success,
      ...described(name),
      schema: schemas.reference(schema as z.ZodType),
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header' as const,
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ];
}

function bodyContent(kind: BodyKind, schema: unknown): OpenApiContent {
  const json = { 'application/json': { schema } };
  if (kind !== 'pipeline') return json;
  const dot = { schema: { type: 'string', description: 'DOT.' } };
  return { ...json, 'text/vnd.graphviz': dot, 'text/plain': dot };
}

function answersOf({ answers }: Route, schemas: SchemaBook): Record<string, OpenApiResponse> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, schemas)]),
  );
}

function responseOf({ description, content = {}, headers = {} }: RouteAnswer, schemas: SchemaBook) {
  const described = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  const media = Object.entries(content).map(([type, schema]) => [
    type,
    { schema: schema === null ? { type: 'string' } : schemas.reference(schema) },
  ]);
  return {
    description,
    headers: described.length > 0 ? Object.fromEntries(described) : undefined,
    content: media.length > 0 ? Object.fromEntries(media) : undefined,
  };
}

/** Problems of every request, before any operation handles it. */
const general: readonly ProblemCode[] = [
  'forbidden_host',
  'forbidden_origin',
  'too_many_requests',
  'internal',
];
const ofWrites: readonly ProblemCode[] = ['unsupported_media_type', 'too_large', 'too_slow'];

/** Problems of every operation on runs, if those are in a database. */
const ofRuns: readonly ProblemCode[] = ['not_allowed', 'unavailable'];

/** Several problems may have the same status. */
function problemsOf(route: Route, schemas: SchemaBook): Record<string, OpenApiResponse> {
  const codes = new Set<ProblemCode>([
    ...route.problems,
    ...(route.isOpen ? [] : (['unauthorized'] as const)),
    // Any operation refuses an unknown word in a query.
    'bad_request',
    ...general,
    ...(route.method === 'post' ? ofWrites : []),
    ...(concernsRuns(route) ? ofRuns : []),
  ]);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const status = problemStatus[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { 'application/json': { schema: schemas.reference(problemSchema) } };
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      String(status),
      { description: found.map((code) => `\`${code}\`: ${problemWords[code]}`).join(' '), content },
    ]),
  );
}
