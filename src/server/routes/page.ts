import type { Context } from 'hono';
import { validatedAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { ProblemError } from '../problem-error.js';
import { setContentPolicy } from '../security/security-headers.js';
import { readWebFiles, type WebFiles } from '../web-files.js';

let known: WebFiles | undefined;

function webFiles(): WebFiles {
  known ??= readWebFiles();
  return known;
}

/** The page of the server: files that the build has written. */
export const pageRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/',
    operation: 'getPage',
    tag: 'server',
    summary: 'The page',
    answers: { 200: { description: 'HTML.', content: { 'text/html': null } } },
    problems: ['not_found'],
    handle({ context }) {
      const { index } = webFiles();
      if (index === undefined) {
        throw new ProblemError('not_found', 'the page was not built: `npm run build` writes it to dist/web');
      }
      setContentPolicy(context, 'page');
      return validatedAnswer(context, index.bytes, index.type, 'no-cache');
    },
  }),
  defineRoute({
    method: 'get',
    path: '/assets/{name}',
    operation: 'getAsset',
    tag: 'server',
    summary: 'A script, a style sheet or a picture of the page',
    answers: {
      200: {
        description: 'The file. Its name changes with its content.',
        content: { 'text/javascript': null, 'text/css': null, 'image/svg+xml': null },
      },
    },
    problems: ['not_found'],
    handle: ({ context, param }) => assetAnswer(context, param('name')),
  }),
];

function assetAnswer(context: Context, name: string): Response {
  const file = webFiles().assets.get(name);
  if (file === undefined) throw new ProblemError('not_found', `the page has no file "${name}"`);
  if (file.type.startsWith('text/javascript')) setContentPolicy(context, 'script');
  return validatedAnswer(context, file.bytes, file.type, 'public, max-age=31536000, immutable');
}
