/** Reads an upstream's answer into one buffer, decoded and never larger than a limit. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { decodeContent } from './content-coding.ts';
import { toUpstreamFailure, UpstreamFailure } from './failures.ts';
import { isStream } from './stream-types.ts';

/** An answer, read to its end. */
export interface UpstreamAnswer {
  readonly status: number;
  /** The value of a header, several joined by a comma; null when there is none. @param name lower case. */
  header(name: string): string | null;
  /** Decoded; at most as long as the limits say. */
  readonly body: Buffer;
  /** Why the body of a stream is its beginning: the deadline passed, or the limit was reached. Missing: the body is whole. */
  readonly cutBy?: 'deadline' | 'size';
}

/** How much of an answer is read, in bytes, encoded and decoded. */
export interface AnswerLimits {
  /** Of a 2xx body. Over it, the call fails. */
  readonly maxResultBytes: number;
  /** Of any other body. Over it, the body is cut. */
  readonly maxErrorBytes: number;
}

const NOTHING = Buffer.alloc(0);

/** One exchange, as undici's dispatcher reports it. Settles once; later events are ignored. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #limits: AnswerLimits;
  readonly #resolve: (answer: UpstreamAnswer) => void;
  readonly #reject: (failure: UpstreamFailure) => void;
  readonly #onStart: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #limit = 0;
  #cutBy: UpstreamAnswer['cutBy'];
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    limits: AnswerLimits,
    resolve: (answer: UpstreamAnswer) => void,
    reject: (failure: UpstreamFailure) => void,
    onStart?: () => void,
  ) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onStart = onStart;
  }

  /**
   * Aborts the exchange and its connection. A stream's answer is what has arrived by its deadline or within its limit: some
   * never end.
   */
  abort(failure: UpstreamFailure): void {
    const cutBy = failure.kind === 'timeout' ? 'deadline' : failure.kind === 'too_large' ? 'size' : undefined;
    if (!this.#settled && cutBy !== undefined && this.#isSuccess() && isStream(this.#header('content-type'))) {
      this.#cutBy = cutBy;
      this.#finish();
    }
    if (!this.#settled) {
      this.#settled = true;
      this.#reject(failure);
    }
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new UpstreamFailure('cancelled'));
    else this.#onStart?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    if (status > 599) {
      this.abort(new UpstreamFailure('protocol', { reason: 'invalid status' }));
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.#limit = this.#isSuccess() ? this.#limits.maxResultBytes : this.#limits.maxErrorBytes;
    const announced = this.#announcedBytes();
    if (this.#isSuccess() && announced !== null && announced > this.#limit) {
      this.abort(new UpstreamFailure('too_large', { status, bytes: announced, limit: this.#limit }));
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    const room = this.#limit - this.#bytes;
    this.#chunks.push(chunk.byteLength <= room ? chunk : chunk.subarray(0, room));
    this.#bytes += Math.min(chunk.byteLength, room);
    if (chunk.byteLength <= room) return;
    if (!this.#isSuccess()) this.#finish();
    this.abort(this.#tooLarge());
  }

  onResponseEnd(): void {
    if (!this.#settled) this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.abort(toUpstreamFailure(error));
  }

  #finish(): void {
    this.#settled = true;
    const [first = NOTHING] = this.#chunks;
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#bytes) : first;
    const coding = this.#header('content-encoding');
    if (coding === null || body.byteLength === 0) this.#settle(body);
    else this.#decode(body, coding);
  }

  #decode(body: Buffer, coding: string): void {
    decodeContent(body, { coding, limit: this.#limit, cut: !this.#isSuccess() || this.#cutBy !== undefined }).then(
      (decoded) => (decoded === null ? this.#reject(this.#tooLarge()) : this.#settle(decoded)),
      (error: unknown) => this.#reject(toUpstreamFailure(error)),
    );
  }

  #settle(body: Buffer): void {
    const cut = this.#cutBy === undefined ? {} : { cutBy: this.#cutBy };
    this.#resolve({ status: this.#status, header: (name) => this.#header(name), body, ...cut });
  }

  #isSuccess(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  #tooLarge(): UpstreamFailure {
    return new UpstreamFailure('too_large', { status: this.#status, limit: this.#limit });
  }

  #header(name: string): string | null {
    const value = this.#headers[name];
    if (value === undefined) return null;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** The announced size of the body; unknown when it is compressed, because the limit counts decoded bytes. */
  #announcedBytes(): number | null {
    const coding = this.#header('content-encoding');
    if (coding !== null && coding.trim().toLowerCase() !== 'identity') return null;
    const length = this.#header('content-length');
    return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
  }
}
