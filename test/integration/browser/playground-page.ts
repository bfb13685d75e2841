import type { Page } from 'playwright-core';
import type { BrowserWorld } from './in-browser.js';
import type { Sight } from './screens.js';

/** On a machine that is busy with other tests, everything takes its time. */
export const patience = { timeout: 60_000 };

/** Goes round until a person is content. */
export const looped = `digraph looped {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  work [prompt="Do it", max_retries=1]
  check [prompt="Check it"]
  gate [shape=hexagon, label="Ship it?"]
  start -> work -> check
  check -> gate [condition="outcome=success && context.tests.red < 1"]
  check -> work [condition="outcome=fail || context.tests.red >= 1"]
  gate -> exit [label="[A] Approve"]
  gate -> work [label="[F] Fix first"]
}
`;

/** Declares inputs and keys, and has a branch for each item of a list. */
export const valued = `digraph valued {
  graph [inputs="channel: beta|stable = beta, version: string, files: list = [{\\"name\\": \\"a.ts\\"}, {\\"name\\": \\"b.ts\\"}]"]
  start [shape=Mdiamond]
  exit [shape=Msquare]
  plan [prompt="Plan \${inputs.version}", writes="verdict: pass|fail, plan: map"]
  work
  each [shape=component, foreach="\${inputs.files}", as=file, join=met]
  look [prompt="Look at \${context.file.name}"]
  met
  start -> plan -> work -> each -> look -> met -> exit
}
`;

/** The text of the editor. */
export const content = (page: Page) => page.locator('.editor .cm-content');

/** Replaces the text as a person does who pastes: nothing is completed, and the browser styles nothing by itself. */
export async function write(page: Page, text: string): Promise<void> {
  await content(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const editor = document.querySelector('.editor').shadowRoot.querySelector('.cm-content');
    editor.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}

/** A list of completions takes keys a moment after it has opened, lest it takes one that was meant for the text: that moment passes. */
export const passAMoment = (page: Page): Promise<unknown> =>
  page.evaluate('{ const { now } = Date; Date.now = () => now() + 1000; }');

/** Findings in the list below the editor. */
export const problems = (page: Page) => page.locator('.problem');

/** Opens the playground, and waits for its editor. */
export async function openPlayground(world: BrowserWorld, sight: Sight = 'light') {
  const opened = await world.open('#/playground', sight);
  await content(opened.page).waitFor();
  return opened;
}
