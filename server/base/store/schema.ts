/**
 * The tables of the core, the type of the database, and the executor that every repository function takes. It is one long list so that a
 * reader sees every column at once; modules add the types of their own tables to `Database`.
 */

import type { Kysely, Transaction } from 'kysely';
import { column, defineTables, type RowsOf } from './tables/table-set.ts';

/** `attention`: an upstream refused the credential. */
export type ConnectionStatus = 'active' | 'attention';

/** The kind of a connection's credential: none, keys and cookies, a user name with a password, or OAuth 2.0 tokens. */
export type CredentialType = 'none' | 'key' | 'basic' | 'oauth2';

/** The way in which a client authenticates at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`). */
export type ClientAuthenticationMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** OpenID Connect Registration §2, `application_type`: `native` for a client on the user's device, `web` for one on a web server. */
export type ApplicationType = 'native' | 'web';

/** The way in which an approval was decided: by its user on a page, by the partner for them, or by the client. */
export type ApprovalChannel = 'page' | 'partner' | 'client';

/** A store of version 0.1.0 has these tables after its migration `0042-open-consents`. */
export const CORE_TABLES = defineTables(
  'core',
  {
    /** An application that owns users. */
    partners: {
      columns: {
        id: 'text primary key',
        /** Public identifier, unique. */
        client_id: 'text not null unique',
        name: 'text not null',
        created_at: 'bigint not null',
        /** JSON array of allowed redirect URIs of connect flows, compared byte for byte. */
        redirect_uris: "text not null default '[]'",
        /** URL where the partner's application starts a connect flow. Null if the gateway cannot point to it. */
        connect_uri: 'text',
        /** One to three characters that represent the partner on pages. */
        logo_text: 'text',
        /** Services that the partner may offer, separated by commas. Null if it may offer all. */
        services: 'text',
        /** Time at which the partner was suspended. Null if it is active. */
        suspended_at: 'bigint',
        /** 1: a plain link may begin a connect flow of this partner. 0: only a connect session may. */
        plain_links: 'integer not null default 1',
        /** `#rrggbb` in lower case. Null if the partner has not chosen a color. */
        accent_color: 'text',
        /** Hash of `logo`, in hexadecimal digits. Null if there is no logo. */
        logo_hash: 'text',
        /** Media type of `logo`. */
        logo_type: 'text',
        /** The image as base64url. */
        logo: 'text',
        /** Kinds of calls that its users approve one by one, separated by commas. Null if they approve no more than the operator requires. */
        approvals: 'text',
        /** Rules about the number of calls (`CallRule`), separated by commas. Null if only those of the operator hold. */
        call_limits: 'text',
        /** Row id of the live partner that this test partner belongs to. Null if this is a live partner. It never changes. */
        test_of: 'text',
        /** 1: its pages name the gateway below. 0: they do not. */
        footer: 'integer not null default 1',
        /** 1: its users may share their own connections with their teams. 0: only its server may. */
        owner_sharing: 'integer not null default 0',
        /** 1: its users may use nothing until it has set their allowance. 0: they may use everything. */
        requires_allowance: 'integer not null default 0',
      },
    },
    /** Secrets of partners, by hash only. A partner has at most two that are not revoked, so that it can rotate them. */
    partner_secrets: {
      columns: {
        id: 'text primary key',
        partner_id: 'text not null references partners (id) on delete cascade',
        /** Keyed hash of the secret (`hashSecret`), unique. */
        secret_hash: 'text not null unique',
        created_at: 'bigint not null',
        revoked_at: 'bigint',
      },
      indexes: {
        partner_secrets_by_partner: '(partner_id)',
      },
    },
    /** An end user; `(partner_id, external_user_id)` is unique. */
    users: {
      columns: {
        id: 'text primary key',
        partner_id: 'text not null references partners (id)',
        /** The partner's own name for the user. */
        external_user_id: 'text not null',
        created_at: 'bigint not null',
        /** JSON of the user's `Allowance`. Null if the partner has set none. */
        allowance: 'text',
        /** Time from which the user may use nothing. Null if the allowance does not expire. */
        allowance_until: 'bigint',
        /** Rules that the user has set, which make more calls wait for approval (`UserRule`), separated by commas. Null if the user has set none. */
        approvals: 'text',
        /** 1: the user is a member of a team, so that the token lookup also reads what teams share. Null for all others. */
        in_teams: 'integer',
      },
      unique: { users_of_partner: 'partner_id, external_user_id' },
      indexes: {
        users_by_external_user_id: '(external_user_id)',
        users_of_partner_by_age: '(partner_id, id)',
        users_by_prefix: { postgres: '(external_user_id collate "C")' },
      },
    },
    /** One user's authorized link to an upstream: one per user, service and account. `(user_id, service)` is unique. */
    connections: {
      columns: {
        id: 'text primary key',
        user_id: 'text not null references users (id) on delete cascade',
        /** Connector name. For every account but the first, it is followed by the number of the account (see `accountKeyOf`). */
        service: 'text not null',
        status: column<ConnectionStatus>('text not null'),
        /** The result of `CredentialVault.seal`. Null for open services. */
        sealed_credential: 'text',
        created_at: 'bigint not null',
        updated_at: 'bigint not null',
        /** Time at which the refresh token was issued or last used. Null if there is no refresh token. */
        refreshed_at: 'bigint',
        /** Human-readable name of the connected upstream account. Null if it is not known. */
        account: 'text',
        /** Null in connections that are older than this column. */
        credential_type: column<CredentialType | null>('text'),
        /** Name by which tools choose the account. Null if the user has had only this account of the service. */
        account_name: 'text',
        /** Keyed hash of what the service says about the account. Null if it is not known. */
        account_identity: 'text',
      },
      unique: { connections_of_user: 'user_id, service' },
      indexes: {
        connections_by_account: { sqlite: '(account)', postgres: '(account collate "C")' },
        connections_by_refresh: '(service, refreshed_at)',
        connections_by_status: '(status, id)',
      },
    },
    /** Groups of a partner's users; `(partner_id, external_team_id)` is unique. */
    teams: {
      columns: {
        id: 'text primary key',
        partner_id: 'text not null references partners (id) on delete cascade',
        /** The partner's own name for the team. */
        external_team_id: 'text not null',
        /** Name of shared accounts for members; no two of a partner look alike (`isNameTaken`). */
        name: 'text not null',
        created_at: 'bigint not null',
      },
      unique: { teams_of_partner: 'partner_id, external_team_id' },
    },
    /** The members of teams; `(user_id, team_id)` is unique. */
    team_members: {
      columns: {
        id: 'text primary key',
        team_id: 'text not null references teams (id) on delete cascade',
        user_id: 'text not null references users (id) on delete cascade',
        created_at: 'bigint not null',
      },
      unique: { team_members_of_user: 'user_id, team_id' },
      indexes: {
        team_members_of_team: '(team_id, id)',
      },
    },
    /** Connections that the members of a team may use; `(team_id, service)` is unique. */
    team_shares: {
      columns: {
        id: 'text primary key',
        team_id: 'text not null references teams (id) on delete cascade',
        connection_id: 'text not null references connections (id) on delete cascade',
        /** Connector name. */
        service: 'text not null',
        /** 1: members may only read with it. */
        read_only: 'integer not null',
        created_at: 'bigint not null',
      },
      unique: { team_shares_of_team: 'team_id, service' },
      indexes: {
        team_shares_of_connection: '(connection_id)',
      },
    },
    /** The refresh of a connection's access token: its current holder, and earlier outcomes. There is no row before the first refresh. */
    connection_refreshes: {
      columns: {
        connection_id: 'text primary key references connections (id) on delete cascade',
        /** Identifies one attempt. Null if no refresh is running. */
        holder: 'text',
        /** Time at which the hold ends. After that, another holder may begin. */
        held_until: 'bigint not null',
        /** Consecutive attempts that returned no tokens. */
        failures: 'integer not null',
        /** No attempt before this time. */
        retry_at: 'bigint not null',
        /** Time at which an attempt last returned tokens, or 0 if none has. */
        refreshed_at: 'bigint not null',
      },
    },
    /** The gateway's registrations with the authorization servers of upstreams; `(owner, service)` is unique. */
    upstream_clients: {
      columns: {
        id: 'text primary key',
        /** Row id of the partner. Null for the operator's client, which every partner without a client uses. */
        partner_id: 'text references partners (id) on delete cascade',
        /** Connector name. */
        service: 'text not null',
        /** `partner_id`, or empty for the operator, because a unique index does not compare nulls. */
        owner: 'text not null',
        client_id: 'text not null',
        /** The result of `CredentialVault.seal`. Null for a public client. */
        sealed_secret: 'text',
        created_at: 'bigint not null',
        updated_at: 'bigint not null',
        /** Registration endpoint that issued the client (RFC 7591). Null for a client that someone entered. */
        registration_url: 'text',
        /** Null if the secret does not expire. */
        secret_expires_at: 'bigint',
      },
      unique: { upstream_clients_by_owner: 'owner, service' },
      indexes: {
        upstream_clients_of_partner: '(partner_id, service)',
      },
    },
    /** Slots for concurrent requests of a connection. A slot that was not given back is free again at `expires_at`. */
    upstream_slots: {
      columns: {
        /** Row id of the connection, `/` and a number. */
        key: 'text primary key',
        holder: 'text not null',
        expires_at: 'bigint not null',
      },
    },
    /** Counts of a connection's requests in a window that begins with the first; the columns of rate-limiter-flexible. */
    upstream_rates: {
      columns: {
        /** Row id of the connection. */
        key: 'text primary key',
        points: 'integer not null',
        /** Time at which the window ends. */
        expire: 'bigint not null',
      },
    },
    /** OAuth clients: those that registered themselves (RFC 7591), and those whose id is the URL of a metadata document. */
    oauth_clients: {
      columns: {
        client_id: 'text primary key',
        /** Keyed hash of the secret (`hashSecret`); null for a client without one. */
        secret_hash: 'text',
        authentication_method: column<ClientAuthenticationMethod>('text not null'),
        application_type: column<ApplicationType>('text not null'),
        client_name: 'text',
        /** JSON array. */
        redirect_uris: 'text not null',
        created_at: 'bigint not null',
        /** Time at which a user first granted the client access. Null if no user has yet; then the registration expires. */
        first_used_at: 'bigint',
        /** JSON: the client's public keys (RFC 7517 §5). Null if the client has no keys, or publishes them at `jwks_uri`. */
        jwks: 'text',
        jwks_uri: 'text',
        /** Time at which the metadata document was last read. Null if the client registered itself. */
        document_fetched_at: 'bigint',
        /** Time at which the last read metadata document expires. */
        document_expires_at: 'bigint',
        /** The network that registered the client (see `siteOf`). Null if the client has a metadata document, or is older than this column. */
        registered_from: 'text',
        /** Space-separated scopes that the client registered with. Null if it named no narrower ones than all. */
        scopes: 'text',
        /** Time until which a consent page that shows the client can be answered. Null if none was opened before the client was allowed. */
        consent_open_until: 'bigint',
      },
      indexes: {
        oauth_clients_by_fetch: '(document_fetched_at)',
        oauth_clients_by_time: '(created_at)',
        oauth_clients_unused: '(registered_from, created_at) where first_used_at is null',
      },
    },
    /** The access that a user granted to a client. Its id names the family of its tokens, which are revoked with it. */
    oauth_grants: {
      columns: {
        id: 'text primary key',
        /** The client. Null if the user's partner itself has the access. */
        client_id: 'text references oauth_clients (client_id) on delete cascade',
        user_id: 'text not null references users (id) on delete cascade',
        /** Space-separated. */
        scopes: 'text not null',
        /** Services that the grant is narrowed to, separated by commas. Null if it covers all services of the user. */
        services: 'text',
        /** Resource indicator (RFC 8707) that its tokens are valid for. */
        resource: 'text not null',
        created_at: 'bigint not null',
        /** Time at which the last code or refresh token of the family expires. */
        expires_at: 'bigint not null',
        revoked_at: 'bigint',
        /** One of `GrantEnd`; null while the grant lives. */
        revoked_reason: 'text',
        /** The service whose connect flow created the grant. Null if no connect flow did. */
        service: 'text',
        /** JSON of `Permission`. Null if the grant is limited by scopes and services only. */
        permission: 'text',
        /** Time at which every token of the grant has expired. Null if each refresh extends the grant. */
        ends_at: 'bigint',
        /** The redirect URI of the authorization request, as requested. Null if the grant came from no authorization request. */
        redirect_uri: 'text',
        /** Row id of the identity issuer that vouched for the user. Null if none did. */
        issuer_id: 'text',
      },
      indexes: {
        oauth_grants_by_client: '(client_id)',
        oauth_grants_by_end: '(expires_at)',
        oauth_grants_by_issuer: '(issuer_id)',
        oauth_grants_by_redirect_uri: '(redirect_uri)',
        oauth_grants_by_seen: { sqlite: "((permission ->> 'seen'))", postgres: "((permission::json ->> 'seen'))" },
        oauth_grants_by_user: '(user_id)',
      },
    },
    /** Facts of tools that a user saw at consent, by hash: one row for each distinct set. */
    tool_facts: {
      columns: {
        /** SHA-256 of `facts` as base64url. */
        hash: 'text primary key',
        /** JSON object: facts by tool name. */
        facts: 'text not null',
        /** Time at which a grant that names the row was last created, or up to half a day before. */
        created_at: 'bigint not null',
      },
    },
    /** Authorization codes (RFC 6749 §4.1.2), by hash only. */
    oauth_codes: {
      columns: {
        /** Keyed hash of the code (`hashSecret`). */
        code_hash: 'text primary key',
        grant_id: 'text not null references oauth_grants (id) on delete cascade',
        /** As in the authorization request, byte for byte. */
        redirect_uri: 'text not null',
        /** RFC 7636, method S256. */
        code_challenge: 'text not null',
        created_at: 'bigint not null',
        expires_at: 'bigint not null',
        consumed_at: 'bigint',
      },
      indexes: {
        oauth_codes_by_end: '(expires_at)',
        oauth_codes_by_grant: '(grant_id)',
      },
    },
    /** Access tokens, by hash only. */
    access_tokens: {
      columns: {
        id: 'text primary key',
        /** Keyed hash of the token (`hashSecret`), unique. */
        token_hash: 'text not null unique',
        user_id: 'text not null references users (id) on delete cascade',
        /** Space-separated. */
        scopes: 'text not null',
        /** Services that the token is narrowed to, separated by commas. Null if it covers all services of the user. */
        services: 'text',
        /** Resource indicator (RFC 8707) that the token is valid for. */
        resource: 'text not null',
        created_at: 'bigint not null',
        expires_at: 'bigint not null',
        revoked_at: 'bigint',
        /** The grant that the token was issued under, and is revoked with. Null if the token was minted outside OAuth. */
        grant_id: 'text references oauth_grants (id) on delete cascade',
        /** Written only if lost answers of a refresh may be repeated (`REFRESH_RETRY_SECONDS`). */
        first_used_at: 'bigint',
      },
      indexes: {
        access_tokens_by_end: '(expires_at)',
        access_tokens_by_grant: '(grant_id)',
        access_tokens_by_user: '(user_id)',
      },
    },
    /** Refresh tokens, by hash only. A used one stays, so that a replay is recognised. */
    refresh_tokens: {
      columns: {
        id: 'text primary key',
        /** Keyed hash of the token (`hashSecret`), unique. */
        token_hash: 'text not null unique',
        grant_id: 'text not null references oauth_grants (id) on delete cascade',
        created_at: 'bigint not null',
        expires_at: 'bigint not null',
        /** Time at which the successor was issued, which invalidated this token. */
        used_at: 'bigint',
        /** Time until which requests with this token get the same successor, set by the first of them. Null if the successor was not requested yet. */
        issues_at: 'bigint',
        /** Sealed random bytes that the successor is derived from. Null before the first request, and once its answer is no longer repeated. */
        sealed_seed: 'text',
      },
      indexes: {
        refresh_tokens_by_end: '(expires_at)',
        refresh_tokens_by_grant: '(grant_id)',
        refresh_tokens_with_seed: '(issues_at) where sealed_seed is not null',
      },
    },
    /** Secrets that are valid for one use: minted, shown, and consumed atomically. */
    single_use_codes: {
      columns: {
        /** Keyed hash of the code (`hashSecret`). */
        code_hash: 'text primary key',
        /** The purpose of the code; a code is never valid for another purpose. */
        purpose: 'text not null',
        /** The user the code speaks for; it is deleted with the user. */
        user_id: 'text references users (id) on delete cascade',
        /** JSON that the minting side wrote for the consuming side. */
        payload: 'text not null',
        created_at: 'bigint not null',
        expires_at: 'bigint not null',
        consumed_at: 'bigint',
      },
      indexes: {
        single_use_codes_by_end: '(expires_at)',
        single_use_codes_by_user: '(user_id)',
      },
    },
    /** Visits to the connect page that partners' servers requested, each for one user. */
    connect_sessions: {
      columns: {
        id: 'text primary key',
        /** Keyed hash of the token (`hashSecret`), unique. */
        token_hash: 'text not null unique',
        partner_id: 'text not null references partners (id) on delete cascade',
        /** The partner's own name for the user. */
        external_user_id: 'text not null',
        /** Connector names in the order of their pages, separated by commas. */
        services: 'text not null',
        /** The `services` that the user skipped, separated by commas. */
        skipped: 'text not null',
        redirect_uri: 'text not null',
        state: 'text',
        /** BCP 47. */
        locale: 'text',
        /** JSON array of the origins that a popup may post its result to. */
        allowed_origins: 'text not null',
        created_at: 'bigint not null',
        /** Deadline of the next step: use the token, complete the pages, or redeem the code. */
        expires_at: 'bigint not null',
        /** SHA-256 of the cookie of the browser that used the token, as base64url. Null if the token is unused. */
        browser_hash: 'text',
        /** Keyed hash of the code (`hashSecret`), unique. Null if the user has not finished. */
        code_hash: 'text unique',
        redeemed_at: 'bigint',
        /** The grant that resulted, which a replay revokes. */
        grant_id: 'text',
        /** JSON of a `RequestedAccount`. Null if the page asks the person for the account. */
        account: 'text',
      },
      indexes: {
        connect_sessions_by_end: '(expires_at)',
        connect_sessions_of_user: '(partner_id, external_user_id)',
      },
    },
    /**
     * Connections that a person completed at `/connect/<service>` and that the partner has not redeemed yet.
     *
     * An attempt exists next to the connection that it will create or replace, so the old one works until then, and no user
     * is created that the partner has not confirmed.
     */
    connection_attempts: {
      columns: {
        id: 'text primary key',
        /** Keyed hash of the code (`hashSecret`), unique. In a connect session, the row's id, because the session has the code. */
        code_hash: 'text not null unique',
        partner_id: 'text not null references partners (id) on delete cascade',
        /** The partner's own name for the user. */
        external_user_id: 'text not null',
        /** Connector name. */
        service: 'text not null',
        /** As in the connect request, byte for byte. */
        redirect_uri: 'text not null',
        /** The result of `CredentialVault.seal` for this row's id. Null for open services, and after redemption. */
        sealed_credential: 'text',
        created_at: 'bigint not null',
        expires_at: 'bigint not null',
        redeemed_at: 'bigint',
        /** The grant that resulted, which a replay revokes. */
        grant_id: 'text',
        /** Row id of the connect session. Null if a plain link led to the page. */
        session_id: 'text',
        /** The network of the browser (see `siteOf`); null after redemption, and in attempts older than this column. */
        made_from: 'text',
        /** JSON of an `AccountToSave`. Null for the first account. */
        account: 'text',
      },
      indexes: {
        connection_attempts_by_end: '(expires_at)',
        connection_attempts_of_network: '(made_from, id) where made_from is not null',
        connection_attempts_of_session: '(session_id)',
        connection_attempts_of_user: '(partner_id, external_user_id)',
      },
    },
    /** Counts of guesses in a window that begins with the first guess. */
    attempt_counters: {
      columns: {
        key: 'text primary key',
        count: 'integer not null',
        expires_at: 'bigint not null',
      },
      indexes: {
        attempt_counters_by_end: '(expires_at)',
      },
    },
    /** Counts for rate limits, in a window that begins with the first use. */
    rate_limits: {
      columns: {
        /** Name of the limit, `:`, and the key that it counts for. */
        key: 'text primary key',
        uses: 'integer not null',
        expires_at: 'bigint not null',
      },
      unlogged: true,
    },
    /** One row per tool call: who, what, outcome, duration, sizes. Never arguments or answers. */
    call_records: {
      columns: {
        id: 'text primary key',
        created_at: 'bigint not null',
        partner_id: 'text not null',
        user_id: 'text not null',
        token_id: 'text not null',
        service: 'text not null',
        tool: 'text not null',
        /** `ok`, or why the call failed, from a closed list. */
        outcome: 'text not null',
        /** Status of the upstream's answer, or null when there was none. */
        upstream_status: 'integer',
        duration_ms: 'integer not null',
        request_bytes: 'integer not null',
        response_bytes: 'integer not null',
        request_id: 'text not null',
        /** The upstream's own code, or null. Null in records that are older than this column. */
        upstream_code: 'text',
        /** Row id of the grant. Null if the token came from no grant, or the record is older than this column. */
        grant_id: 'text',
        /** Digest of the tool's definition, as in `_meta` of the tool. Null in records that are older than this column. */
        definition: 'text',
        /** Row id of the connection that was used. Null if the user had only one account, or the record is older than this column. */
        connection_id: 'text',
        /** The way in which the user approved the call. Null if no rule required approval, or the record is older than this column. */
        approved_by: column<ApprovalChannel | 'standing' | null>('text'),
      },
      indexes: {
        call_records_by_connection: '(connection_id, created_at) where connection_id is not null',
        call_records_by_time: { postgres: '(created_at)' },
        call_records_by_tool: { postgres: '(tool, created_at)' },
        call_records_failed: { postgres: "(created_at) where outcome <> 'ok'" },
        call_records_by_user: { sqlite: '(substr(user_id, -8))' },
        call_records_of_grant: { postgres: '(grant_id, created_at)' },
        call_records_of_partner: { postgres: '(partner_id, created_at)' },
        call_records_of_request: { postgres: '(request_id)' },
        call_records_of_service: { postgres: '(service, created_at)' },
        call_records_of_user: { postgres: '(user_id, created_at)' },
      },
      inCallFile: true,
    },
    /** Number of a partner's calls: one row for each day, service, tool, outcome and duration band. Names no user. */
    call_tallies: {
      columns: {
        /** The columns up to `band`; their combination is unique. */
        key: 'text primary key',
        partner_id: 'text not null',
        /** Time at which the day (UTC) begins. */
        created_at: 'bigint not null',
        service: 'text not null',
        tool: 'text not null',
        outcome: 'text not null',
        /** Index in `DURATION_BANDS_MS`. */
        band: 'integer not null',
        calls: 'bigint not null',
      },
      indexes: {
        call_tallies_by_time: '(created_at)',
        call_tallies_of_partner: '(partner_id, created_at)',
      },
      inCallFile: true,
    },
    /** Calls with an idempotency key; see `takeKey`. */
    calls_made_once: {
      columns: {
        /** SHA-256 of owner and key as base64url. */
        key_hash: 'text primary key',
        /** SHA-256 of key, tool and arguments as base64url. The key is not stored, so that the arguments cannot be guessed. */
        call_hash: 'text not null',
        user_id: 'text not null references users (id) on delete cascade',
        /** Row id of the grant. Null if the token came from no grant. */
        grant_id: 'text references oauth_grants (id) on delete cascade',
        /** Row id of the token that owns the key. Null if the grant owns it. */
        token_id: 'text references access_tokens (id) on delete cascade',
        connection_id: 'text not null references connections (id) on delete cascade',
        status: column<'running' | 'done' | 'unknown'>('text not null'),
        /** Names one attempt. */
        holder: 'text not null',
        held_until: 'bigint not null',
        /** Null until the call is done, and if its answer is not kept. */
        sealed_answer: 'text',
        answer_bytes: 'integer not null',
        created_at: 'bigint not null',
        expires_at: 'bigint not null',
      },
      indexes: {
        calls_made_once_by_connection_id: '(connection_id)',
        calls_made_once_by_expires_at: '(expires_at)',
        calls_made_once_by_grant_id: '(grant_id, answer_bytes)',
        calls_made_once_by_token_id: '(token_id, answer_bytes)',
        calls_made_once_by_user_id: '(user_id)',
      },
    },
    /** A call that waits for its user's approval, or got it. */
    approvals: {
      columns: {
        id: 'text primary key',
        /** Keyed hash of the exact call, unique; null once it was made. */
        digest: 'text unique',
        user_id: 'text not null references users (id) on delete cascade',
        /** Row id of the grant. Null if the token came from no grant. */
        grant_id: 'text references oauth_grants (id) on delete cascade',
        /** Row id of the token that the approval is for. Null if it is for the grant. */
        token_id: 'text references access_tokens (id) on delete cascade',
        connection_id: 'text not null references connections (id) on delete cascade',
        /** Connector name. */
        service: 'text not null',
        tool: 'text not null',
        /** The description of the call for the person who decides, sealed. Null once the approval is decided or has expired. */
        sealed: 'text',
        /** `standing` is an approval of a tool, not of one call: calls of the tool are approved until it expires. */
        status: column<'pending' | 'approved' | 'denied' | 'spent' | 'standing'>('text not null'),
        /** The way in which it was decided. Null if it is not decided yet. */
        channel: column<ApprovalChannel | null>('text'),
        /** Keyed hash that only the gateway can make of an approval that was given. */
        proof: 'text',
        created_at: 'bigint not null',
        decided_at: 'bigint',
        /** Deadline of the current state. A pending approval must be decided before it, and a given one must be used before it. */
        expires_at: 'bigint not null',
      },
      indexes: {
        approvals_by_connection_id: '(connection_id)',
        approvals_by_expires_at: '(expires_at)',
        approvals_by_grant_id: '(grant_id)',
        approvals_by_token_id: '(token_id)',
        approvals_by_user_id: '(user_id, id)',
      },
    },
    /** Calls that rules have counted, one row for each rule, subject and window. */
    rule_counts: {
      columns: {
        /** Hash of rule, subject and end of the window. */
        key: 'text primary key',
        /** See `CallRule.id`. */
        rule: 'text not null',
        partner_id: 'text not null references partners (id) on delete cascade',
        /** Null if all users of the partner are counted together. */
        user_id: 'text references users (id) on delete cascade',
        calls: 'integer not null',
        /** Time at which the window ends. */
        ends_at: 'bigint not null',
      },
      indexes: {
        rule_counts_by_end: '(ends_at)',
        rule_counts_by_partner: '(partner_id)',
        rule_counts_by_rule: '(rule, ends_at)',
        rule_counts_by_user: '(user_id)',
      },
    },
    /** The key of the store itself, and a mark for as long as credentials are left that were sealed without it. */
    store_keys: {
      columns: {
        id: 'text primary key',
        /** See `startStoreKey`. */
        sealed: 'text not null',
      },
    },
    /** Switches that an operator has turned on for every gateway of the store. */
    switches: {
      columns: {
        name: column<'writing_stopped'>('text primary key'),
        set_at: 'bigint not null',
      },
    },
  },
  {
    baseline: '0043-baseline',
    replaces: '0042-open-consents',
    migrations: {
      '0044-registered-scopes': { adds: ['oauth_clients.scopes'] },
      '0045-search-accounts': { adds: ['connections_by_account'] },
      '0046-user-allowance': { adds: ['users.allowance', 'users.allowance_until'] },
      '0047-call-limits': { adds: ['partners.call_limits', 'rule_counts'] },
      '0048-teams': {
        adds: [
          'teams',
          'team_members',
          'team_shares',
          'users.in_teams',
          'partners.owner_sharing',
          'call_records_by_connection',
        ],
      },
      '0049-registered-upstream-clients': {
        adds: ['upstream_clients.registration_url', 'upstream_clients.secret_expires_at'],
      },
      '0050-required-allowance': { adds: ['partners.requires_allowance'] },
    },
  },
);

/**
 * All tables.
 *
 * Both dialects store times as integer milliseconds since 1970, booleans as 0 or 1, bytes as base64url text.
 */
export interface Database extends RowsOf<typeof CORE_TABLES> {}

/**
 * The database, or an open transaction.
 *
 * Repositories take it as an argument: a call on the database from inside a transaction would wait for that
 * transaction.
 */
export type Executor = Kysely<Database> | Transaction<Database>;
