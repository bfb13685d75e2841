import type { Locator, Page } from 'playwright-core';

/** More stops than any screen has. */
const mostStops = 150;

/** Goes to something by the Tab key alone, as people do who have no mouse; what cannot be reached so fails. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let stop = 0; stop < mostStops; stop += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${target} is not reached by ${key}`);
}

/** Goes to it, and presses it. */
export async function pressWithKeys(page: Page, target: Locator, key?: 'Shift+Tab'): Promise<void> {
  await tabTo(page, target, key);
  await page.keyboard.press('Enter');
}

/** Leaves the editor, in which Tab indents but for two seconds after Escape: on a busy machine it might come later than that. */
export async function leaveEditor(page: Page, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  // Between the two keys, the page's time stands still.
  await page.evaluate('{ const now = Date.now(); Date.now = Object.assign(() => now, { real: Date.now }); }');
  await page.keyboard.press('Escape');
  await page.keyboard.press(key);
  await page.evaluate('void (Date.now = Date.now.real)');
}

interface Focusable {
  getRootNode(): { readonly activeElement: unknown };
}

/** Whether keys go there. */
export function isFocused(target: Locator): Promise<boolean> {
  // What is in a shadow has the focus there.
  return target.evaluate((element: Focusable) => element === element.getRootNode().activeElement);
}

/** Pastes what people have copied elsewhere. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('ControlOrMeta+v');
}
