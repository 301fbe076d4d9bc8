import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { reportPage } from '../../src/report/page.ts';
import { openBrowser, type Page } from '../support/browser.ts';
import { fullFacts } from './report-facts.ts';

/** Runs in the page: each visible text with its contrast against what is painted behind it, its size, and its place. */
const measure = `(() => {
  const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const ground = channels(getComputedStyle(at).backgroundColor);
      if (ground.length === 3 || ground[3] === 1) return ground;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || element.closest('svg') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const [one, other] = [luminance(channels(style.color)), luminance(groundOf(element))].sort((a, b) => b - a);
    const box = element.getBoundingClientRect();
    texts.push({
      text: walker.currentNode.data.trim().slice(0, 40),
      contrast: (one + 0.05) / (other + 0.05),
      size: parseFloat(style.fontSize),
      left: box.left,
      right: box.right,
      width: box.width,
    });
  }
  return { texts, scroll: document.documentElement.scrollWidth, width: document.documentElement.clientWidth };
})()`;

interface Measured {
  readonly texts: readonly {
    readonly text: string;
    readonly contrast: number;
    readonly size: number;
    readonly left: number;
    readonly right: number;
    readonly width: number;
  }[];
  readonly scroll: number;
  readonly width: number;
}

interface Presentation {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly media?: 'screen' | 'print';
}

const presentations: readonly Presentation[] = [
  { scheme: 'light', width: 380 },
  { scheme: 'dark', width: 380 },
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'dark', width: 740, media: 'print' },
];

async function present(page: Page, { scheme, width, media = 'screen' }: Presentation): Promise<Measured> {
  await page.send('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
  await page.send('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
  return (await page.evaluate(measure)) as Measured;
}

/** What a hostile text would have made, had it become markup. */
const made = `({
  title: document.title,
  foreign: document.querySelectorAll('script, img, iframe, object, embed, form, link, base, textarea').length,
  handlers: [...document.querySelectorAll('*')].flatMap(({ attributes }) => [...attributes]).filter(({ name }) => name.startsWith('on') || name === 'style').length,
  links: [...new Set([...document.links].filter((one) => !one.getAttribute('href').startsWith('#')).map(({ protocol }) => protocol))],
})`;

test('H3, H8: in a browser the page is readable in light, dark, on paper, at 380 and 1,280 pixels, and runs and fetches nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-report-'));
  const page = await openBrowser();
  try {
    const file = join(folder, 'report.html');
    writeFileSync(file, reportPage(fullFacts()));
    await page.open(pathToFileURL(file).href);
    expect(await page.evaluate(made)).toEqual({
      title: 'Clicks, 24 Oct 2026 to 23 Nov 2026',
      foreign: 0,
      handlers: 0,
      links: ['https:'],
    });
    for (const presentation of presentations) {
      const { texts, scroll, width } = await present(page, presentation);
      expect(texts.length).toBeGreaterThan(200);
      expect({ ...presentation, faint: texts.filter(({ contrast }) => contrast < 4.5) }).toEqual({ ...presentation, faint: [] });
      expect({ ...presentation, scroll }).toEqual({ ...presentation, scroll: width });
      const unreadable = texts.filter(({ size, left, right, width: own }) => size < 12 || left < 0 || right > width || own < 20);
      expect({ ...presentation, unreadable: unreadable.filter(({ text }) => text.length > 3) }).toEqual({
        ...presentation,
        unreadable: [],
      });
    }
    expect(
      (await present(page, { scheme: 'dark', width: 740, media: 'print' })).texts.some(({ text }) => text === 'Top links'),
    ).toBe(true);
    expect(page.events('Network.requestWillBeSent').map(({ documentURL }) => documentURL)).toEqual([pathToFileURL(file).href]);
    for (const said of ['Runtime.exceptionThrown', 'Runtime.consoleAPICalled', 'Log.entryAdded']) {
      expect(page.events(said)).toEqual([]);
    }
  } finally {
    await page.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
