/** Records the demo's story as one animated picture: a user connects a service, allows the assistant, and gets an answer. */

import { crc32 } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import type { DemoFacts } from '../../demo/text.ts';
import { keyField, openConsentPage, press, typeKey } from './pictures.ts';

/** In CSS pixels; the picture is 800 × 512. */
const VIEWPORT = { width: 1000, height: 640 };
const SCALE = 0.8;

/** Shown instead of the demo's, which are different each time. */
const SHOWN = { key: 'sandbox-aB3dE6gH9jK2', code: '4XKR-9TQD-MV2H' };

/** A screenshot, and how long it stays. */
interface Frame {
  readonly png: Buffer;
  readonly ms: number;
}

/** @returns an animated PNG (PNG, third edition, §11.3.6) that repeats. @throws {Error} if a page is not as expected. */
export async function recordStory(browser: Browser, facts: DemoFacts): Promise<Buffer> {
  const context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: SCALE, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const frames: Frame[] = [];
  const capture = async (ms: number): Promise<void> => {
    await page.waitForLoadState();
    frames.push({ png: await page.screenshot({ caret: 'hide', animations: 'disabled' }), ms });
  };
  await connectService(page, facts, capture);
  await allowAssistant(page, capture);
  await press(page, 'Who do we know at Tidewater Analytics?');
  await page.getByRole('cell', { name: 'Omar Haddad' }).waitFor();
  await capture(3500);
  await page.locator('#latest summary').click();
  await page.locator('#latest').evaluate((latest) => latest.scrollIntoView());
  await capture(3000);
  await context.close();
  return toAnimation(frames);
}

async function connectService(
  page: Page,
  { appOrigin, sandboxKey }: DemoFacts,
  capture: (ms: number) => Promise<void>,
) {
  await page.goto(appOrigin);
  await capture(2000);
  await press(page, 'Sign in as Noah');
  await show(page, 'key');
  await capture(2000);
  await press(page, 'Connect Affinity');
  await keyField(page).waitFor();
  await show(page, 'key');
  await capture(1500);
  await keyField(page).fill(sandboxKey);
  await capture(1500);
  await typeKey(page, sandboxKey);
  await show(page, 'key');
  await capture(2000);
}

async function allowAssistant(page: Page, capture: (ms: number) => Promise<void>) {
  await page.getByRole('link', { name: 'Assistant', exact: true }).click();
  await page.getByRole('button', { name: 'Start the assistant' }).waitFor();
  await capture(1500);
  await press(page, 'Start the assistant');
  const code = await page.locator('#code').innerText();
  await show(page, 'code');
  await capture(2000);
  await openConsentPage(page);
  const field = page.getByRole('textbox', { name: 'Connection code' });
  await field.fill(SHOWN.code);
  await capture(1500);
  await field.fill(code);
  await press(page, 'Continue');
  const allow = page.getByRole('button', { name: 'Allow' });
  await allow.waitFor();
  await capture(2500);
  await allow.scrollIntoViewIfNeeded();
  await capture(1500);
  await allow.click();
  await page.getByText('I can use your services now.').waitFor();
  await capture(1500);
}

/** Replaces a secret on the page. */
function show(page: Page, id: keyof typeof SHOWN): Promise<void> {
  return page.locator(`#${id}`).evaluate((element, text) => {
    element.textContent = text;
  }, SHOWN[id]);
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

function toAnimation(frames: readonly Frame[]): Buffer {
  const pngChunks: Buffer[] = [];
  let sequence = 0;
  for (const [index, { png, ms }] of frames.entries()) {
    const chunks = readChunks(png);
    const header = chunks.get('IHDR') ?? Buffer.alloc(0);
    if (index === 0) pngChunks.push(SIGNATURE, chunk('IHDR', header), chunk('acTL', uint32(frames.length, 0)));
    const delay = Buffer.from(new Uint16Array([ms, 1000]).buffer).swap16();
    // Neither disposed of nor blended: each frame is a whole picture.
    pngChunks.push(
      chunk('fcTL', uint32(sequence++, header.readUInt32BE(0), header.readUInt32BE(4), 0, 0), delay, Buffer.alloc(2)),
    );
    const data = chunks.get('IDAT') ?? Buffer.alloc(0);
    pngChunks.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', uint32(sequence++), data));
  }
  return Buffer.concat([...pngChunks, chunk('IEND')]);
}

/** The data of a PNG's chunks by type; those of one type are joined. */
function readChunks(png: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), data]));
  }
  return chunks;
}

function chunk(type: string, ...data: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...data]);
  return Buffer.concat([uint32(body.length - 4), body, uint32(crc32(body))]);
}

function uint32(...values: readonly number[]): Buffer {
  return Buffer.from(new Uint32Array(values).buffer).swap32();
}
