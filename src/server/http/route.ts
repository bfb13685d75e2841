import type { Context } from 'hono';
import type { z } from 'zod';
import type { ProblemCode } from '../api/problem.js';
import type { ServerParts } from '../server-parts.js';
import type { BodyKind } from './read-body.js';
import { readBody } from './read-body.js';
import { readQuery } from './read-query.js';

/** One operation of the HTTP API: what it is called by, what it takes and answers, and what it does (§9.5). */
export interface Route {
  readonly method: 'get' | 'post';
  /** Path in the notation of OpenAPI: `/pipelines/{id}`. */
  readonly path: string;
  /** Name in a generated client. */
  readonly operation: string;
  readonly tag: RouteTag;
  /** Needs no token. */
  readonly isOpen?: true;
  readonly summary: string;
  readonly description?: string;
  readonly query?: z.ZodObject;
  /** Headers of a request that mean something to this operation. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RouteBody;
  /** Answers by status. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Problems besides those of every request. */
  readonly problems: readonly ProblemCode[];
  readonly handle: (context: Context, server: ServerParts) => Response | Promise<Response>;
}

/** The chapters of the description. */
export type RouteTag = 'runs' | 'steering' | 'questions' | 'history' | 'language' | 'server';

/** True for the operations on runs, of which each tenant of a cluster has its own; the page loads for every token. */
export function concernsRuns({ tag }: Pick<Route, 'tag'>): boolean {
  return tag !== 'server' && tag !== 'language';
}

/** Body of an operation. */
export interface RouteBody {
  readonly kind: BodyKind;
  readonly schema: z.ZodType;
}

/** Answer of an operation. */
export interface RouteAnswer {
  readonly description: string;
  /** Schemas by media type; null if it is not JSON. */
  readonly content?: Readonly<Record<string, z.ZodType | null>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request after it was checked. */
export interface RouteRequest<Query, Body> {
  readonly context: Context;
  /** A parameter of the path. */
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
}

type RouteDefinition<Query extends z.ZodObject, Body extends z.ZodType> = Omit<
  Route,
  'handle' | 'query' | 'body'
> & {
  readonly query?: Query;
  readonly body?: { readonly kind: BodyKind; readonly schema: Body };
  readonly handle: (
    request: RouteRequest<z.output<Query>, z.output<Body>>,
    server: ServerParts,
  ) => Response | Promise<Response>;
};

/** An operation whose query and body are checked by the schemas that describe them, before it is carried out. */
export function defineRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  definition: RouteDefinition<Query, Body>,
): Route {
  const { query, body, handle } = definition;
  return {
    ...definition,
    handle(context, server) {
      const param = (name: string): string => context.req.param(name) ?? '';
      // Without a schema nothing is read, and the operation has no body.
      const asked = (query === undefined ? {} : readQuery(context, query)) as z.output<Query>;
      const request = { context, param, query: asked };
      if (body === undefined) return handle({ ...request, body: undefined as z.output<Body> }, server);
      return readBody(context, body).then((given) =>
        handle({ ...request, body: given as z.output<Body> }, server),
      );
    },
  };
}
