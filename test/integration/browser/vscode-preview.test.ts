import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { FromPreview, ToPreview } from '../../../editors/vscode/src/preview/messages.js';
import { previewHtml } from '../../../editors/vscode/src/preview/preview-html.js';
import { compile } from '../../../src/compiler/compile.js';
import { renderSvg } from '../../../src/render/svg.js';
import { root } from '../../docs/markdown.js';
import { inBrowser } from './in-browser.js';

// The page of the VS Code extension, as it is packed and under its content security policy; the test is the extension.

const text = `digraph G {
  start [shape=Mdiamond]
  done [shape=Msquare]
  plan [prompt="Plan it"]
  start -> plan -> done
}
`;
const origin = 'http://preview.test';
/** All that the page may ask for. */
const asked = ['', 'preview.css', 'preview.js'].map((name) => `asked for ${origin}/${name}`);

inBrowser('the preview of VS Code', 'no server', (world) => {
  let page: Page;
  let complaints: readonly string[];
  let svg: string;

  beforeAll(async () => {
    execFileSync(process.execPath, [path.join(root, 'scripts/build-vscode.mjs')], { stdio: 'pipe' });
    svg = await renderSvg(compile(text, { name: 'main.dot' }).graph);
  });

  beforeEach(async () => {
    const opened = await world.openFile('about:blank');
    ({ page, complaints } = opened);
    await page.route(`${origin}/**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      if (name === '')
        return route.fulfill({
          contentType: 'text/html',
          body: previewHtml({ origin, script: '/preview.js', style: '/preview.css', nonce: 'n0nce' }),
        });
      return route.fulfill({
        contentType: name.endsWith('.css') ? 'text/css' : 'text/javascript',
        body: readFileSync(path.join(root, 'editors/vscode/dist/preview', name)),
      });
    });
    await page.addInitScript(
      'globalThis.sent = []; globalThis.acquireVsCodeApi = () => ({ postMessage: (message) => sent.push(message) });',
    );
    await page.goto(`${origin}/`);
    await page.waitForFunction('sent.length > 0');
  });

  const send = (...messages: readonly ToPreview[]): Promise<void> =>
    page.evaluate(`for (const message of ${JSON.stringify(messages)}) postMessage(message, '*')`);
  const sent = (): Promise<readonly FromPreview[]> => page.evaluate('sent');
  const marked = (): Promise<readonly (string | null)[]> =>
    page.$$eval('[data-node][aria-pressed=true]', (found) =>
      found.map((one) => one.getAttribute('data-node')),
    );
  const show = async (): Promise<void> => {
    await send({ kind: 'text', name: 'main.dot', text }, { kind: 'drawn', text, svg });
    await page.waitForSelector('[data-node=plan]');
  };

  it('listens, draws, marks the node at the cursor, and says which one is chosen', async () => {
    expect(await sent()).toEqual([{ kind: 'ready' }]);
    await show();
    expect(await page.locator('[data-node]').count()).toBe(3);
    await send({ kind: 'cursor', offset: text.indexOf('Plan it') });
    await page.waitForSelector('[data-node=plan][aria-pressed=true]');
    expect(await marked()).toEqual(['plan']);
    await page.click('[data-node=done]');
    expect((await sent()).at(-1)).toEqual({ kind: 'open', offset: text.indexOf('done') });
    expect(complaints).toEqual(asked);
  });

  it('keeps the picture of a text that breaks, and says so', async () => {
    await show();
    const broken = text.replace('[prompt', '[prompt=');
    await send({ kind: 'text', name: 'main.dot', text: broken });
    await page.waitForSelector('text=The text has syntax errors. This is the last valid picture.');
    expect(await page.locator('[data-node]').count()).toBe(3);
    await send({ kind: 'text', name: 'main.dot', text });
    await page.waitForFunction('!document.body.textContent.includes("syntax errors")');
  });

  it('says why there is no picture', async () => {
    await send(
      { kind: 'text', name: 'main.dot', text },
      { kind: 'not_drawn', text, reason: 'it takes longer than 20 s' },
    );
    await page.waitForSelector('text=It takes longer than 20 s.');
    await send({ kind: 'refused', name: 'main.dot', reason: 'This file is too large.' });
    await page.waitForSelector('text=This file is too large.');
    expect(await page.locator('[role=tab]').count()).toBe(0);
  });

  it('steps through the pipeline to its end, in the theme of the editor', async () => {
    await show();
    await send({ kind: 'side', side: 'simulator' }, { kind: 'theme', theme: 'dark' });
    await page.click('text=Run to the next choice');
    await page.waitForSelector('text=The run has ended: success.');
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    expect(complaints).toEqual(asked);
  });
});
