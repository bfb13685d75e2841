import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { inBrowser } from './in-browser.js';
import { expectAccessible, keepPicture, type Sight, sights } from './screens.js';
import { cancelRun, endless, failing, gated, hostile } from './worlds.js';

// §9.5: the shell of the page and its list of runs, in a real browser against a real server.

const names = (page: Page): Promise<string[]> => page.locator('[data-run-link]').allTextContents();
const focused = (page: Page): Promise<string | null> => page.locator(':focus').textContent();

const expectTitle = (page: Page, title: RegExp): Promise<void> =>
  expect.poll(() => page.title(), { timeout: 60_000 }).toMatch(title);

inBrowser('the list of runs in a browser', {}, (world) => {
  beforeAll(async () => {
    await world.submit({ ...gated, simulate: true }, 'success');
    await world.submit(failing, 'fail');
    await cancelRun(world.server, await world.submit(endless, 'running'));
    await world.submit(hostile, 'asking');
    await world.submit(endless, 'running');
    await world.submit(gated, 'asking');
  });

  it.each(Object.keys(sights) as Sight[])('shows every run, and keeps nobody out (%s)', async (sight) => {
    const { page, complaints } = await world.open('', sight);
    await page.getByText('Build and test').or(page.locator('[data-run-link]').first()).first().waitFor();
    expect(await names(page)).toEqual([
      'release',
      'nightly_index',
      'hostile',
      'nightly_index',
      'migration',
      'release',
    ]);
    await page.locator('.gate-bar a').first().waitFor();
    await keepPicture(page, `runs-${sight}`);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('shows texts of authors as texts', async () => {
    const { page, complaints } = await world.open('#/?search=hostile');
    await page
      .getByText("<script>document.title = 'owned'</script><img src=x onerror=alert(1)> & so on")
      .waitFor();
    await expectTitle(page, /^\(2\) Runs · attractor$/);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('leaves alone what a link says that is followed while a search is typed', async () => {
    const { page } = await world.open();
    const href = await page.locator('[data-run-link]').first().getAttribute('href');
    await page.keyboard.press('/');
    // The search comes due when the page has just gone to the other screen, and lets go of the old one after the next frame.
    await page.evaluate(`new Promise((resolve) => {
      const { setTimeout: start, clearTimeout: stop } = window;
      const due = new Map();
      window.setTimeout = (work, milliseconds) => {
        const isPause = milliseconds >= 100;
        const id = start(isPause ? () => undefined : work, milliseconds);
        if (isPause) due.set(id, work);
        return id;
      };
      window.clearTimeout = (id) => {
        due.delete(id);
        stop(id);
      };
      addEventListener('hashchange', () => {
        Object.assign(window, { setTimeout: start, clearTimeout: stop });
        for (const work of due.values()) work();
      }, { once: true });
      const field = document.activeElement;
      field.value = 'index';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      requestAnimationFrame(() => start(() => {
        location.hash = '${href}?tab=events';
        resolve();
      }, 100));
    })`);
    await page.getByRole('tab', { name: /^Events/, selected: true }).waitFor();
    expect(await page.evaluate('location.hash')).toBe(`${href}?tab=events`);
  });

  it('leaves the focus where a key put it as soon as the screen was there', async () => {
    const { page } = await world.open('#/playground');
    await page.getByRole('button', { name: 'Run …' }).waitFor();
    await page.evaluate(`new Promise((resolve) => {
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      new MutationObserver((_, observer) => {
        if (document.querySelector('[type=search]') === null) return;
        observer.disconnect();
        press('/');
        requestAnimationFrame(() => setTimeout(resolve, 100));
      }).observe(document.body, { childList: true, subtree: true });
      press('g');
    })`);
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });

  it('is searched and filtered, and keeps both over a reload', async () => {
    const { page } = await world.open();
    await page.locator('[data-run-link]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('INDEX');
    await page.waitForURL(/search=INDEX/);
    await page.locator('[data-run-link]').nth(2).waitFor({ state: 'detached' });
    expect(await names(page)).toEqual(['nightly_index', 'nightly_index']);
    await page.getByRole('button', { name: 'Cancelled 1' }).click();
    await page.locator('[data-run-link]').nth(1).waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('[data-run-link]').first().waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('INDEX');
    expect(await page.locator('.cell-state').allTextContents()).toEqual(['Cancelled']);
    await page.keyboard.press('/');
    await page.keyboard.type(' nowhere');
    await page.getByText('No run matches').waitFor();
    await page.getByRole('button', { name: 'Show all runs' }).click();
    await page.locator('[data-run-link]').nth(5).waitFor();
  });

  it('a way to another screen is not undone by what was typed before', async () => {
    const { page } = await world.open();
    await page.locator('[data-run-link]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('x');
    // Busy for so long that what was typed is due before the browser has told of the new address.
    await page.evaluate(
      `{ location.hash = '#/playground'; const end = performance.now() + 400; while (performance.now() < end); }`,
    );
    await page.locator('main.main-playground').waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/playground/);
  });

  it('is gone through by keyboard', async () => {
    const { page } = await world.open();
    await page.locator('[data-run-link]').nth(5).waitFor();
    await page.keyboard.press('j');
    expect(await focused(page)).toBe('release');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    expect(await focused(page)).toBe('hostile');
    await page.keyboard.press('k');
    expect(await focused(page)).toBe('nightly_index');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await keepPicture(page, 'shortcuts-light');
    await expectAccessible(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('nightly_index');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/runs\/.*nightly_index/);
    // The keyboard continues where the screen begins.
    await page.locator('main:focus').waitFor();
    await page.keyboard.press('g');
    await page.waitForURL(/#\/$/);
  });

  it('begins with a way past the head', async () => {
    const { page } = await world.open();
    await page.locator('[data-run-link]').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
  });

  it('keeps the colours that the reader chose', async () => {
    const { page } = await world.open();
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: /^Colours: as the system/ }).click();
    await page.getByRole('button', { name: /^Colours: light/ }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor();
    expect(await background()).toBe(dark);
  });

  it('shows a new run without being asked, and says where somebody is asked', async () => {
    const { page } = await world.open('#/?search=release');
    await page.locator('[data-run-link]').nth(1).waitFor();
    const id = await world.submit(gated, 'asking');
    await page.locator('[data-run-link]').nth(2).waitFor();
    await page.getByText('1 question').nth(1).waitFor();
    // Nothing else happens in it: it does not run.
    const row = page.locator('tr', { has: page.locator(`[data-run-link][href*="${id}"]`) });
    await row.getByText('Waits for an answer').waitFor();
    await expectTitle(page, /^\(3\)/);
    await world.server.post(`pipelines/${id}/cancel`, {});
    await expectTitle(page, /^\(2\)/);
  });
});

inBrowser('the page and its server', 'no server', (world) => {
  it('shows the way to the playground where there are no runs', async () => {
    const server = await world.serve();
    const { page, complaints } = await world.open('', 'dark');
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await keepPicture(page, 'no-runs-dark');
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await page.goto(`${server.url}/#/nonsense/here`);
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
    await expectTitle(page, /^Nothing here · attractor$/);
    await expectAccessible(page);
  });

  it('says that the server is away, and continues when it is back', async () => {
    const server = await world.serve();
    await world.submit(failing, 'fail');
    const { page } = await world.open();
    await page.locator('[data-run-link]').first().waitFor();
    await server.restart(async () => {
      await page.getByText('Connection lost').waitFor();
      // What was there is still to be read.
      expect(await page.locator('[data-run-link]').count()).toBe(1);
      await keepPicture(page, 'lost-light');
      await expectAccessible(page);
    });
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('asks again for what it did not get while the server was away', async () => {
    const server = await world.serve();
    await world.submit(failing, 'fail');
    const { page } = await world.open();
    const link = page.locator('[data-run-link]').first();
    await link.waitFor();
    await server.restart(async () => {
      await page.getByText('Connection lost').waitFor();
      await link.click();
      await page.locator('main').getByRole('alert').first().waitFor();
    });
    await page.locator('.graph-frame svg').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('says what to do where the browser lost the key', async () => {
    const server = await world.serve();
    const { page, context } = await world.open();
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await context.clearCookies();
    await page.getByText('Open the link that attractor serve printed').waitFor();
    await keepPicture(page, 'locked-light');
    await expectAccessible(page);
    const enter = async (): Promise<void> => {
      await page.getByLabel('Token').fill(server.token);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
      expect(page.url()).not.toContain('token');
    };
    await enter();
    // A browser that comes for the first time gets a page of the server.
    await context.clearCookies();
    await page.goto(`${server.url}/`);
    await page.getByRole('heading', { name: 'This page needs the token of its server' }).waitFor();
    await keepPicture(page, 'token-light');
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepPicture(page, 'token-dark');
    await expectAccessible(page);
    await enter();
  });

  it('loads more of a long list, a page at a time', async () => {
    const server = await world.serve({ maxQueued: 60 });
    const simulated = { ...gated, simulate: true };
    const submitted = await Promise.all(Array.from({ length: 60 }, () => server.submit(simulated)));
    // One that begins now would change its place in the list.
    for (const { id } of submitted) await world.until(id, 'success');
    const { page } = await world.open();
    await page.locator('[data-run-link]').nth(49).waitFor();
    expect(await page.locator('[data-run-link]').count()).toBe(50);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.locator('[data-run-link]').nth(59).waitFor();
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    const links = await page
      .locator('[data-run-link]')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    expect(new Set(links).size).toBe(60);
  });
});
