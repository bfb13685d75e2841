import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, type RunnerTask } from 'vitest';
import { root } from '../../docs/markdown.js';
import type { PageServer } from './page-server.js';

/** How people see the page. */
export const sights = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;

export type Sight = keyof typeof sights;

/** A page of somebody who has opened the link of the server, and what the browser complained about there. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, and what the content policy forbade. */
  readonly complaints: readonly string[];
}

/** Opens the page as whoever starts the server does, at a screen. */
export async function openPage(
  browser: Browser,
  server: Pick<PageServer, 'url' | 'tokenUrl'>,
  hash = '',
  sight: Sight = 'light',
): Promise<OpenPage> {
  const opened = await openWindow(browser, sights[sight]);
  const { page, context, complaints } = opened;
  // Of every window that is opened from this one, too.
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(server.tokenUrl);
  if (hash !== '') await page.goto(`${server.url}/${hash}`);
  return opened;
}

/** How a file is opened. */
export interface FileSight {
  readonly sight?: Sight;
  readonly javaScript?: boolean;
}

/** Opens a file, or an empty page, without a network: all that it says or asks for is a complaint. */
export async function openFile(
  browser: Browser,
  url: string,
  { sight = 'light', javaScript = true }: FileSight = {},
): Promise<OpenPage> {
  const opened = await openWindow(browser, {
    ...sights[sight],
    javaScriptEnabled: javaScript,
    offline: true,
  });
  const { page, complaints } = opened;
  page.on('request', (request) => {
    if (request.url() !== url) complaints.push(`asked for ${request.url()}`);
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return opened;
}

async function openWindow(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  // On a machine that is busy with other tests, everything takes its time.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return { page, context, complaints };
}

/** Keeps a picture of the screen for people to look at, in `test-artifacts/`; not where nobody does. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.CI !== undefined) return;
  await takePicture(page, name);
}

async function takePicture(page: Page, name: string): Promise<void> {
  const directory = path.join(root, 'test-artifacts');
  mkdirSync(directory, { recursive: true });
  // Of a phone only what it shows: for more, the browser would give up being one.
  const fullPage = (page.viewportSize()?.width ?? 0) > sights.phone.viewport.width;
  await page.screenshot({ path: path.join(directory, `${name}.png`), fullPage });
}

/** Closes windows; of a test that failed, what was to be seen last is kept. */
export async function closeWindows(
  contexts: readonly BrowserContext[],
  { name, result }: RunnerTask,
): Promise<void> {
  for (const context of contexts) {
    for (const page of result?.state === 'fail' ? context.pages() : []) {
      await takePicture(page, `failed-${name.replaceAll(/\W+/g, '-').slice(0, 80)}`);
    }
    await context.close();
  }
}

/** Nothing on the screen keeps people out: no violation of WCAG 2.2 A and AA that axe finds, and nothing next to the screen. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    // Its other mode reads frames of other origins, which none of these pages has, and opens a window each time.
    .setLegacyMode()
    .analyze();
  const found = violations.map(({ id, impact, nodes }) => ({
    id,
    impact,
    at: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)}: ${failureSummary ?? ''}`),
  }));
  expect(found).toEqual([]);
  const beside = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(beside, 'the screen is wider than the window').toBe(0);
}
