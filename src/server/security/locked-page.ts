import type { Context } from 'hono';
import { isSafeMethod } from './check-origin.js';

/** Whether somebody looks at the answer in a browser: programs take anything, or JSON. */
export function wantsPage(c: Context): boolean {
  return isSafeMethod(c.req.method) && /\btext\/html\b/i.test(c.req.header('accept') ?? '');
}

/**
 * What a browser shows to whoever may not see the page (§9.5): nothing of this request is in it, and nothing in it runs or
 * leads anywhere.
 */
export const lockedPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>attractor: open the link of the server</title>
</head>
<body>
<main>
<h1>This page needs the link of its server</h1>
<p>Open the link that <code>attractor serve</code> printed when it was started: it ends with <code>?token=</code> and the
token. This browser then remembers it, until it is closed.</p>
<p>The token is also the text of the token file that the server named beside the link.</p>
</main>
</body>
</html>
`;
