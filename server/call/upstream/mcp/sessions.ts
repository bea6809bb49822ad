/** The open sessions at MCP servers: one for each connection, never shared, bounded in number and idle time. */

import { LRUCache } from 'lru-cache';
import { type McpServer, McpSession, type SessionDependencies } from './session.ts';

interface SessionsOptions extends SessionDependencies {
  /** Sessions beyond this number are closed, the longest unused first, unless a call uses them. */
  readonly maxSessions: number;
}

/** A session in use. */
export interface SessionLease {
  /** Rejects as `McpSession.open`. */
  readonly session: Promise<McpSession>;
  /** Makes the next call open another session. */
  discard(): void;
  /** Ends the use. It must be called once. */
  release(): void;
}

/** An unused session is closed after this time. */
const IDLE_MS = 300_000;
const SWEEP_MS = 60_000;
/** A server of 2025 is asked again for a newer revision after this time. */
const ERA_TTL_MS = 3_600_000;
const MAX_ERAS = 1000;

interface Slot {
  /** Names the connection and the address. */
  readonly key: string;
  readonly connectionId: string | undefined;
  readonly server: McpServer;
  readonly session: Promise<McpSession>;
  uses: number;
  usedAt: number;
  /** True if no later call may use it. */
  isDiscarded: boolean;
}

/** The sessions of one realm. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By key, the longest unused first. */
  readonly #slots = new Map<string, Slot>();
  /** The addresses of servers of 2025. */
  readonly #legacyUrls: LRUCache<string, true>;
  readonly #closings = new Set<Promise<void>>();
  #sweep: NodeJS.Timeout | null = null;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#legacyUrls = new LRUCache({ max: MAX_ERAS, ttl: ERA_TTL_MS, perf: { now: options.now } });
  }

  /**
   * Takes the session of a connection, or opens one. A session with another credential is closed.
   *
   * @param connectionId row id of the connection. Undefined if it does not exist yet: then the session serves one call.
   */
  take(server: McpServer, connectionId: string | undefined): SessionLease {
    const slot = this.#find(server, connectionId);
    this.#slots.delete(slot.key);
    if (!slot.isDiscarded) this.#slots.set(slot.key, slot);
    this.#sweep ??= setInterval(() => this.#discardIdle(), SWEEP_MS).unref();
    slot.uses += 1;
    return {
      session: slot.session,
      discard: () => this.#discard(slot),
      release: () => {
        slot.uses -= 1;
        slot.usedAt = this.#options.now();
        if (slot.uses === 0 && slot.isDiscarded) this.#end(slot);
      },
    };
  }

  /** Ends the sessions of a connection. @param connectionId row id. */
  end(connectionId: string): void {
    for (const slot of this.#slots.values()) if (slot.connectionId === connectionId) this.#discard(slot);
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    for (const slot of this.#slots.values()) {
      slot.uses = 0;
      this.#discard(slot);
    }
    await Promise.all(this.#closings);
  }

  #find(server: McpServer, connectionId: string | undefined): Slot {
    const key = `${connectionId} ${server.url}`;
    const existing = connectionId === undefined ? undefined : this.#slots.get(key);
    if (existing !== undefined && isSameServer(existing.server, server)) return existing;
    if (existing !== undefined) this.#discard(existing);
    this.#makeRoom();
    const session = this.#open(server);
    const isDiscarded = connectionId === undefined;
    const slot: Slot = { key, connectionId, server, session, uses: 0, usedAt: this.#options.now(), isDiscarded };
    session.catch(() => this.#discard(slot));
    return slot;
  }

  async #open(server: McpServer): Promise<McpSession> {
    const session = await McpSession.open(server, this.#options, this.#legacyUrls.has(server.url));
    if (session.isLegacy) this.#legacyUrls.set(server.url, true);
    return session;
  }

  #discard(slot: Slot): void {
    if (slot.isDiscarded) return;
    slot.isDiscarded = true;
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
    if (slot.uses === 0) this.#end(slot);
  }

  #end(slot: Slot): void {
    const closing = slot.session.then(
      (session) => session.close(),
      () => {},
    );
    this.#closings.add(closing);
    closing.finally(() => this.#closings.delete(closing));
  }

  #discardIdle(): void {
    const { now } = this.#options;
    for (const slot of this.#slots.values()) {
      if (slot.uses === 0 && now() - slot.usedAt > IDLE_MS) this.#discard(slot);
    }
    if (this.#slots.size > 0 || this.#sweep === null) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }

  #makeRoom(): void {
    for (const slot of this.#slots.values()) {
      if (this.#slots.size < this.#options.maxSessions) return;
      if (slot.uses === 0) this.#discard(slot);
    }
  }
}

/** True if the credential is the same too. */
function isSameServer(a: McpServer, b: McpServer): boolean {
  return a.url === b.url && JSON.stringify(Object.entries(a.headers)) === JSON.stringify(Object.entries(b.headers));
}
