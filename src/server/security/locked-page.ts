import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { isSafeMethod } from './check-origin.js';

/** True if a browser asks for a page: programs accept anything, or JSON. */
export function wantsPage(c: Context): boolean {
  return isSafeMethod(c.req.method) && /\btext\/html\b/i.test(c.req.header('accept') ?? '');
}

const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif;background:light-dark(#f4f6f8,#0a0e14);color:light-dark(#1c2430,#e4e9f0)}
main{box-sizing:border-box;width:min(34rem,100vw - 2rem);padding:2rem;border:1px solid light-dark(#dfe3e9,#242d39);border-radius:10px;background:light-dark(#fff,#10151d)}
h1{margin:0 0 1rem;font-size:1.375rem}
label{display:block;font-weight:600}
input,button{box-sizing:border-box;width:100%;margin-top:.5rem;padding:.6rem .75rem;border:1px solid light-dark(#8a94a2,#667384);border-radius:6px;font:inherit}
code{white-space:nowrap}
button{border-color:transparent;background:light-dark(#1d5fd1,#6fa6ff);color:light-dark(#fff,#0a1220)}`;

/** The hash by which the content policy of the page allows its style. */
export const lockedStyle = `'sha256-${hash('sha256', style, 'base64')}'`;

/**
 * Page for browsers without access (§9.5): it contains nothing of the request, runs nothing, and leads only
 * to this server, with the typed token.
 */
export const lockedPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>attractor: token needed</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>This page needs the token of its server</h1>
<p>Open the link that <code>attractor serve</code> printed when it started, or enter its token: the text after
<code>?token=</code>, which is also in the token file that the server named. The browser keeps it until it is closed.</p>
<form method="get">
<label for="token">Token</label>
<input id="token" name="token" type="password" required autocomplete="off" spellcheck="false">
<button>Open</button>
</form>
</main>
</body>
</html>
`;
