CREATE TABLE public.access_tokens (
    id text NOT NULL,
    token_hash text NOT NULL,
    user_id text NOT NULL,
    scopes text NOT NULL,
    services text,
    resource text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    grant_id text,
    first_used_at bigint
);
CREATE TABLE public.anonymous_events (
    key text NOT NULL,
    type text NOT NULL,
    network text NOT NULL,
    count integer NOT NULL,
    created_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.attempt_counters (
    key text NOT NULL,
    count integer NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.audit_chains (
    number integer NOT NULL,
    node text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    base_seq bigint NOT NULL,
    base_mac text NOT NULL,
    head_seq bigint NOT NULL,
    head_mac text NOT NULL,
    seal text NOT NULL
);
CREATE TABLE public.audit_events (
    id text NOT NULL,
    created_at bigint NOT NULL,
    type text NOT NULL,
    partner_id text,
    user_id text,
    client_id text,
    grant_id text,
    address text,
    request_id text,
    details text NOT NULL,
    chain integer,
    chain_seq bigint,
    chain_mac text
);
CREATE TABLE public.audit_keys (
    id text NOT NULL,
    sealed text NOT NULL
);
CREATE TABLE public.call_records (
    id text NOT NULL,
    created_at bigint NOT NULL,
    partner_id text NOT NULL,
    user_id text NOT NULL,
    token_id text NOT NULL,
    service text NOT NULL,
    tool text NOT NULL,
    outcome text NOT NULL,
    upstream_status integer,
    duration_ms integer NOT NULL,
    request_bytes integer NOT NULL,
    response_bytes integer NOT NULL,
    request_id text NOT NULL,
    upstream_code text,
    grant_id text,
    definition text
);
CREATE TABLE public.call_tallies (
    key text NOT NULL,
    partner_id text NOT NULL,
    created_at bigint NOT NULL,
    service text NOT NULL,
    tool text NOT NULL,
    outcome text NOT NULL,
    band integer NOT NULL,
    calls bigint NOT NULL
);
CREATE TABLE public.calls_made_once (
    key_hash text NOT NULL,
    call_hash text NOT NULL,
    user_id text NOT NULL,
    grant_id text,
    token_id text,
    connection_id text NOT NULL,
    status text NOT NULL,
    holder text NOT NULL,
    held_until bigint NOT NULL,
    sealed_answer text,
    answer_bytes integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.connect_sessions (
    id text NOT NULL,
    token_hash text NOT NULL,
    partner_id text NOT NULL,
    external_user_id text NOT NULL,
    services text NOT NULL,
    skipped text NOT NULL,
    redirect_uri text NOT NULL,
    state text,
    locale text,
    allowed_origins text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    browser_hash text,
    code_hash text,
    redeemed_at bigint,
    grant_id text
);
CREATE TABLE public.connection_attempts (
    id text NOT NULL,
    code_hash text NOT NULL,
    partner_id text NOT NULL,
    external_user_id text NOT NULL,
    service text NOT NULL,
    redirect_uri text NOT NULL,
    sealed_credential text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    grant_id text,
    session_id text,
    made_from text
);
CREATE TABLE public.connection_refreshes (
    connection_id text NOT NULL,
    holder text,
    held_until bigint NOT NULL,
    failures integer NOT NULL,
    retry_at bigint NOT NULL,
    refreshed_at bigint NOT NULL
);
CREATE TABLE public.connections (
    id text NOT NULL,
    user_id text NOT NULL,
    service text NOT NULL,
    status text NOT NULL,
    sealed_credential text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    refreshed_at bigint,
    account text,
    credential_type text
);
CREATE TABLE public.drift_tallies (
    key text NOT NULL,
    created_at bigint NOT NULL,
    service text NOT NULL,
    tool text NOT NULL,
    definition text NOT NULL,
    place text NOT NULL,
    keyword text NOT NULL,
    found text NOT NULL,
    answers bigint NOT NULL
);
CREATE TABLE public.identity_issuers (
    id text NOT NULL,
    partner_id text NOT NULL,
    issuer text NOT NULL,
    tenant text NOT NULL,
    jwks_uri text,
    jwks text,
    subject_claim text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.oauth_clients (
    client_id text NOT NULL,
    secret_hash text,
    authentication_method text NOT NULL,
    application_type text NOT NULL,
    client_name text,
    redirect_uris text NOT NULL,
    created_at bigint NOT NULL,
    first_used_at bigint,
    jwks text,
    jwks_uri text,
    document_fetched_at bigint,
    document_expires_at bigint,
    registered_from text
);
CREATE TABLE public.oauth_codes (
    code_hash text NOT NULL,
    grant_id text NOT NULL,
    redirect_uri text NOT NULL,
    code_challenge text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    consumed_at bigint
);
CREATE TABLE public.oauth_grants (
    id text NOT NULL,
    client_id text,
    user_id text NOT NULL,
    scopes text NOT NULL,
    services text,
    resource text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    revoked_reason text,
    service text,
    permission text,
    ends_at bigint,
    redirect_uri text,
    issuer_id text
);
CREATE TABLE public.operator_sessions (
    id text NOT NULL,
    token_hash text NOT NULL,
    operator_id text,
    name text NOT NULL,
    role text NOT NULL,
    address text NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.operators (
    id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    secret_hash text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.partner_event_heads (
    partner_id text NOT NULL,
    seq bigint NOT NULL
);
CREATE TABLE public.partner_events (
    id text NOT NULL,
    partner_id text NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    user_id text,
    external_user_id text,
    sealed_user_id text,
    service text,
    connection_id text,
    data text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.partner_secrets (
    id text NOT NULL,
    partner_id text NOT NULL,
    secret_hash text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
);
CREATE TABLE public.partners (
    id text NOT NULL,
    client_id text NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    redirect_uris text DEFAULT '[]'::text NOT NULL,
    connect_uri text,
    logo_text text,
    services text,
    suspended_at bigint,
    plain_links integer DEFAULT 1 NOT NULL,
    accent_color text,
    logo_hash text,
    logo_type text,
    logo text
);
CREATE UNLOGGED TABLE public.rate_limits (
    key text NOT NULL,
    uses integer NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.refresh_tokens (
    id text NOT NULL,
    token_hash text NOT NULL,
    grant_id text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    issues_at bigint,
    sealed_seed text
);
CREATE TABLE public.single_use_codes (
    code_hash text NOT NULL,
    purpose text NOT NULL,
    user_id text,
    payload text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    consumed_at bigint
);
CREATE TABLE public.tool_facts (
    hash text NOT NULL,
    facts text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.upstream_clients (
    id text NOT NULL,
    partner_id text,
    service text NOT NULL,
    owner text NOT NULL,
    client_id text NOT NULL,
    sealed_secret text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.upstream_rates (
    key text NOT NULL,
    points integer NOT NULL,
    expire bigint NOT NULL
);
CREATE TABLE public.upstream_slots (
    key text NOT NULL,
    holder text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.usage_tallies (
    key text NOT NULL,
    created_at bigint NOT NULL,
    tool text NOT NULL,
    place text NOT NULL,
    facet text NOT NULL,
    calls bigint NOT NULL,
    partners_0 bigint NOT NULL,
    partners_1 bigint NOT NULL,
    partners_2 bigint NOT NULL,
    partners_3 bigint NOT NULL
);
CREATE TABLE public.users (
    id text NOT NULL,
    partner_id text NOT NULL,
    external_user_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.webhook_deliveries (
    id text NOT NULL,
    endpoint_id text NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    kind text NOT NULL,
    order_key text NOT NULL,
    seq bigint NOT NULL,
    status text NOT NULL,
    attempts integer NOT NULL,
    first_attempt_at bigint,
    next_attempt_at bigint NOT NULL,
    last_attempt_at bigint,
    answer_status integer,
    problem text,
    duration_ms integer,
    created_at bigint NOT NULL
);
CREATE TABLE public.webhook_endpoints (
    id text NOT NULL,
    partner_id text NOT NULL,
    url text NOT NULL,
    types text,
    sealed_credential text NOT NULL,
    previous_until bigint,
    created_at bigint NOT NULL,
    cursor bigint NOT NULL,
    disabled_at bigint,
    disabled_reason text,
    failing_since bigint,
    held_until bigint NOT NULL,
    leased_by text,
    leased_until bigint NOT NULL
);
INSERT INTO public.access_tokens VALUES ('Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% access_tokens.token_hash 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% access_tokens.scopes 0', 'Grüße, 世界 ''"% access_tokens.services 0', 'Grüße, 世界 ''"% access_tokens.resource 0', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_grants 0', 9007199254740991);
INSERT INTO public.access_tokens VALUES ('Grüße, 世界 ''"% access_tokens 1', 'Grüße, 世界 ''"% access_tokens.token_hash 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% access_tokens.scopes 1', NULL, 'Grüße, 世界 ''"% access_tokens.resource 1', 9007199254740990, 9007199254740990, NULL, NULL, NULL);
INSERT INTO public.anonymous_events VALUES ('Grüße, 世界 ''"% anonymous_events 0', 'Grüße, 世界 ''"% anonymous_events.type 0', 'Grüße, 世界 ''"% anonymous_events.network 0', 2147483647, 9007199254740991, 9007199254740991);
INSERT INTO public.anonymous_events VALUES ('Grüße, 世界 ''"% anonymous_events 1', 'Grüße, 世界 ''"% anonymous_events.type 1', 'Grüße, 世界 ''"% anonymous_events.network 1', 2147483646, 9007199254740990, 9007199254740990);
INSERT INTO public.attempt_counters VALUES ('Grüße, 世界 ''"% attempt_counters 0', 2147483647, 9007199254740991);
INSERT INTO public.attempt_counters VALUES ('Grüße, 世界 ''"% attempt_counters 1', 2147483646, 9007199254740990);
INSERT INTO public.audit_chains VALUES (0, 'node-a', 0, 0, 0, '', 1, '', 'k1.XGkJEAyd93XvD4vQYOsZBSDkWkckt4K3M6lAH1CvWhY');
INSERT INTO public.audit_chains VALUES (1, 'node-a', 0, 4, 0, '', 5, 'k1.GuQGOgER0AfO_U9Xc0joC_qJb5ENDRUn5LKhfjJWHmo', 'k1.YV585k5sxxsSlfTNPo1L61H8rlpXTIoiH6JG6FLl6uk');
INSERT INTO public.audit_events VALUES ('00000000-0000-7094-b9de-81977a137273', 0, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":0,"TEXT":"Grüße, 世界 ''\"% "}', 1, 1, 'k1.waDj1X6LT4wwTvenW8DME9fkR3sMNrWCvSFqOniKeYY');
INSERT INTO public.audit_events VALUES ('00000000-0001-7d36-b3a2-c32ebc801e3d', 1, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":1,"TEXT":"Grüße, 世界 ''\"% "}', 1, 2, 'k1.WpoZAeZop75C88hIhcnssfAeHOlc8k36UZnS3E-D97k');
INSERT INTO public.audit_events VALUES ('00000000-0002-7bac-971a-c2c21547de2f', 2, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":2,"TEXT":"Grüße, 世界 ''\"% "}', 1, 3, 'k1.oCdsaFB4six2pzBmnIwaGsbdESYyznH_XzTjqI6crF8');
INSERT INTO public.audit_events VALUES ('00000000-0003-7485-84a0-fd57c8c1fc47', 3, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":3,"TEXT":"Grüße, 世界 ''\"% "}', 1, 4, 'k1.c5-Q8G3FYxddXtHc_Zpv-WlWkqw_fy7D7w8tDn5V5OQ');
INSERT INTO public.audit_events VALUES ('00000000-0004-717b-b217-3aed2f80f4ae', 4, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":4,"TEXT":"Grüße, 世界 ''\"% "}', 1, 5, 'k1.GuQGOgER0AfO_U9Xc0joC_qJb5ENDRUn5LKhfjJWHmo');
INSERT INTO public.audit_keys VALUES ('k1', 'v1.k1.GFnelA6Zds1o5guwcm7dKAZiOz_BpnrIBqeyboHg8tnMIcCkV_LrXqoluE-Il3k0KXIe4zjqXJJTLSWgzWMlQ1K0aXRPzg8eiWAcVK3rKNphJxd6rSFLRUnuglZz2AUCdJVrsSK85xmWoYn2cLmVxA');
INSERT INTO public.call_records VALUES ('Grüße, 世界 ''"% call_records 0', 9007199254740991, 'Grüße, 世界 ''"% call_records.partner_id 0', 'Grüße, 世界 ''"% call_records.user_id 0', 'Grüße, 世界 ''"% call_records.token_id 0', 'Grüße, 世界 ''"% call_records.service 0', 'Grüße, 世界 ''"% call_records.tool 0', 'Grüße, 世界 ''"% call_records.outcome 0', 2147483647, 2147483647, 2147483647, 2147483647, 'Grüße, 世界 ''"% call_records.request_id 0', 'Grüße, 世界 ''"% call_records.upstream_code 0', 'Grüße, 世界 ''"% call_records.grant_id 0', 'Grüße, 世界 ''"% call_records.definition 0');
INSERT INTO public.call_records VALUES ('Grüße, 世界 ''"% call_records 1', 9007199254740990, 'Grüße, 世界 ''"% call_records.partner_id 1', 'Grüße, 世界 ''"% call_records.user_id 1', 'Grüße, 世界 ''"% call_records.token_id 1', 'Grüße, 世界 ''"% call_records.service 1', 'Grüße, 世界 ''"% call_records.tool 1', 'Grüße, 世界 ''"% call_records.outcome 1', NULL, 2147483646, 2147483646, 2147483646, 'Grüße, 世界 ''"% call_records.request_id 1', NULL, NULL, NULL);
INSERT INTO public.call_tallies VALUES ('Grüße, 世界 ''"% call_tallies 0', 'Grüße, 世界 ''"% call_tallies.partner_id 0', 9007199254740991, 'Grüße, 世界 ''"% call_tallies.service 0', 'Grüße, 世界 ''"% call_tallies.tool 0', 'Grüße, 世界 ''"% call_tallies.outcome 0', 2147483647, 9007199254740991);
INSERT INTO public.call_tallies VALUES ('Grüße, 世界 ''"% call_tallies 1', 'Grüße, 世界 ''"% call_tallies.partner_id 1', 9007199254740990, 'Grüße, 世界 ''"% call_tallies.service 1', 'Grüße, 世界 ''"% call_tallies.tool 1', 'Grüße, 世界 ''"% call_tallies.outcome 1', 2147483646, 9007199254740990);
INSERT INTO public.calls_made_once VALUES ('Grüße, 世界 ''"% calls_made_once 0', 'Grüße, 世界 ''"% calls_made_once.call_hash 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% calls_made_once.status 0', 'Grüße, 世界 ''"% calls_made_once.holder 0', 9007199254740991, 'Grüße, 世界 ''"% calls_made_once.sealed_answer 0', 2147483647, 9007199254740991, 9007199254740991);
INSERT INTO public.calls_made_once VALUES ('Grüße, 世界 ''"% calls_made_once 1', 'Grüße, 世界 ''"% calls_made_once.call_hash 1', 'Grüße, 世界 ''"% users 1', NULL, NULL, 'Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% calls_made_once.status 1', 'Grüße, 世界 ''"% calls_made_once.holder 1', 9007199254740990, NULL, 2147483646, 9007199254740990, 9007199254740990);
INSERT INTO public.connect_sessions VALUES ('Grüße, 世界 ''"% connect_sessions 0', 'Grüße, 世界 ''"% connect_sessions.token_hash 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% connect_sessions.external_user_id 0', 'Grüße, 世界 ''"% connect_sessions.services 0', 'Grüße, 世界 ''"% connect_sessions.skipped 0', 'Grüße, 世界 ''"% connect_sessions.redirect_uri 0', 'Grüße, 世界 ''"% connect_sessions.state 0', 'Grüße, 世界 ''"% connect_sessions.locale 0', 'Grüße, 世界 ''"% connect_sessions.allowed_origins 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connect_sessions.browser_hash 0', 'Grüße, 世界 ''"% connect_sessions.code_hash 0', 9007199254740991, 'Grüße, 世界 ''"% connect_sessions.grant_id 0');
INSERT INTO public.connect_sessions VALUES ('Grüße, 世界 ''"% connect_sessions 1', 'Grüße, 世界 ''"% connect_sessions.token_hash 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% connect_sessions.external_user_id 1', 'Grüße, 世界 ''"% connect_sessions.services 1', 'Grüße, 世界 ''"% connect_sessions.skipped 1', 'Grüße, 世界 ''"% connect_sessions.redirect_uri 1', NULL, NULL, 'Grüße, 世界 ''"% connect_sessions.allowed_origins 1', 9007199254740990, 9007199254740990, NULL, NULL, NULL, NULL);
INSERT INTO public.connection_attempts VALUES ('Grüße, 世界 ''"% connection_attempts 0', 'Grüße, 世界 ''"% connection_attempts.code_hash 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% connection_attempts.external_user_id 0', 'Grüße, 世界 ''"% connection_attempts.service 0', 'Grüße, 世界 ''"% connection_attempts.redirect_uri 0', 'v2.k1.4Bt3JJ1i_1GtJtTmFJJbs_4qkm61I1pi3FuWHWnIuUhOg1w8O-AkatOKoCbFAKn12R7x1v24LWJmJrC6', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connection_attempts.grant_id 0', 'Grüße, 世界 ''"% connection_attempts.session_id 0', 'Grüße, 世界 ''"% connection_attempts.made_from 0');
INSERT INTO public.connection_attempts VALUES ('Grüße, 世界 ''"% connection_attempts 1', 'Grüße, 世界 ''"% connection_attempts.code_hash 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% connection_attempts.external_user_id 1', 'Grüße, 世界 ''"% connection_attempts.service 1', 'Grüße, 世界 ''"% connection_attempts.redirect_uri 1', 'v2.k1.NeVTFT9DlQr4Xmm-Y9GK7jv10lvFq-IzqVC3DY_2qFZCnH9NKp0Y6NsrGwJs2mf3vCiyc0JTg3LqvLLS', 9007199254740990, 9007199254740990, NULL, NULL, NULL, NULL);
INSERT INTO public.connection_refreshes VALUES ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% connection_refreshes.holder 0', 9007199254740991, 2147483647, 9007199254740991, 9007199254740991);
INSERT INTO public.connection_refreshes VALUES ('Grüße, 世界 ''"% connections 1', NULL, 9007199254740990, 2147483646, 9007199254740990, 9007199254740990);
INSERT INTO public.connections VALUES ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% connections.service 0', 'Grüße, 世界 ''"% connections.status 0', 'v2.k1.BMT4dFk5dWlO5-I7EuYKrMbnryH8HUuFIbWpt3uMR0-axQd1sEXrrDsRJ04bSiYFE7LqfzVMSx1b0sb2', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connections.account 0', 'Grüße, 世界 ''"% connections.credential_type 0');
INSERT INTO public.connections VALUES ('Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% connections.service 1', 'Grüße, 世界 ''"% connections.status 1', 'v2.k1.8CpjQQ9w9ynqjoIUniQV4eKkTgj08CiDKXCuebDyYOo_dbFjkXCz9RI3RRVfWgWKF_1U5jmD2XU8zaiY', 9007199254740990, 9007199254740990, NULL, NULL, NULL);
INSERT INTO public.drift_tallies VALUES ('Grüße, 世界 ''"% drift_tallies 0', 9007199254740991, 'Grüße, 世界 ''"% drift_tallies.service 0', 'Grüße, 世界 ''"% drift_tallies.tool 0', 'Grüße, 世界 ''"% drift_tallies.definition 0', 'Grüße, 世界 ''"% drift_tallies.place 0', 'Grüße, 世界 ''"% drift_tallies.keyword 0', 'Grüße, 世界 ''"% drift_tallies.found 0', 9007199254740991);
INSERT INTO public.drift_tallies VALUES ('Grüße, 世界 ''"% drift_tallies 1', 9007199254740990, 'Grüße, 世界 ''"% drift_tallies.service 1', 'Grüße, 世界 ''"% drift_tallies.tool 1', 'Grüße, 世界 ''"% drift_tallies.definition 1', 'Grüße, 世界 ''"% drift_tallies.place 1', 'Grüße, 世界 ''"% drift_tallies.keyword 1', 'Grüße, 世界 ''"% drift_tallies.found 1', 9007199254740990);
INSERT INTO public.identity_issuers VALUES ('Grüße, 世界 ''"% identity_issuers 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% identity_issuers.issuer 0', 'Grüße, 世界 ''"% identity_issuers.tenant 0', 'Grüße, 世界 ''"% identity_issuers.jwks_uri 0', 'Grüße, 世界 ''"% identity_issuers.jwks 0', 'Grüße, 世界 ''"% identity_issuers.subject_claim 0', 9007199254740991, 9007199254740991);
INSERT INTO public.identity_issuers VALUES ('Grüße, 世界 ''"% identity_issuers 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% identity_issuers.issuer 1', 'Grüße, 世界 ''"% identity_issuers.tenant 1', NULL, NULL, 'Grüße, 世界 ''"% identity_issuers.subject_claim 1', 9007199254740990, NULL);
INSERT INTO public.kysely_migration VALUES ('0001-initial-tables', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0002-authorization-server', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0003-partners-and-connect-flow', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0004-calls-by-tool', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0005-upstream-codes', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0006-no-pending-connections', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0007-held-refreshes', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0008-permissions', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0009-client-metadata-documents', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0010-identity-issuers', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0012-calls-by-grant', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0013-bounds-on-callers', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0014-operators', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0015-audit-chains', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0017-suspended-partners', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0018-upstream-oauth', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0019-connect-sessions', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0020-partner-events', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0021-accounts', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0022-what-can-be-removed', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0023-branding-of-partners', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0024-calls-made-once', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0025-caps-of-upstreams', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0026-usage-of-tools', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0027-provenance-of-calls', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0028-drift-of-answers', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0030-rate-limits', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0032-search-for-calls', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.oauth_clients VALUES ('Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% oauth_clients.secret_hash 0', 'Grüße, 世界 ''"% oauth_clients.authentication_method 0', 'Grüße, 世界 ''"% oauth_clients.application_type 0', 'Grüße, 世界 ''"% oauth_clients.client_name 0', 'Grüße, 世界 ''"% oauth_clients.redirect_uris 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_clients.jwks 0', 'Grüße, 世界 ''"% oauth_clients.jwks_uri 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_clients.registered_from 0');
INSERT INTO public.oauth_clients VALUES ('Grüße, 世界 ''"% oauth_clients 1', NULL, 'Grüße, 世界 ''"% oauth_clients.authentication_method 1', 'Grüße, 世界 ''"% oauth_clients.application_type 1', NULL, 'Grüße, 世界 ''"% oauth_clients.redirect_uris 1', 9007199254740990, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.oauth_codes VALUES ('Grüße, 世界 ''"% oauth_codes 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% oauth_codes.redirect_uri 0', 'Grüße, 世界 ''"% oauth_codes.code_challenge 0', 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.oauth_codes VALUES ('Grüße, 世界 ''"% oauth_codes 1', 'Grüße, 世界 ''"% oauth_grants 1', 'Grüße, 世界 ''"% oauth_codes.redirect_uri 1', 'Grüße, 世界 ''"% oauth_codes.code_challenge 1', 9007199254740990, 9007199254740990, NULL);
INSERT INTO public.oauth_grants VALUES ('Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants.scopes 0', 'Grüße, 世界 ''"% oauth_grants.services 0', 'Grüße, 世界 ''"% oauth_grants.resource 0', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_grants.revoked_reason 0', 'Grüße, 世界 ''"% oauth_grants.service 0', '{"seen":"Grüße, 世界 ''\"% "}', 9007199254740991, 'Grüße, 世界 ''"% oauth_grants.redirect_uri 0', 'Grüße, 世界 ''"% oauth_grants.issuer_id 0');
INSERT INTO public.oauth_grants VALUES ('Grüße, 世界 ''"% oauth_grants 1', NULL, 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% oauth_grants.scopes 1', NULL, 'Grüße, 世界 ''"% oauth_grants.resource 1', 9007199254740990, 9007199254740990, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.operator_sessions VALUES ('Grüße, 世界 ''"% operator_sessions 0', 'Grüße, 世界 ''"% operator_sessions.token_hash 0', 'Grüße, 世界 ''"% operators 0', 'Grüße, 世界 ''"% operator_sessions.name 0', 'Grüße, 世界 ''"% operator_sessions.role 0', 'Grüße, 世界 ''"% operator_sessions.address 0', 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.operator_sessions VALUES ('Grüße, 世界 ''"% operator_sessions 1', 'Grüße, 世界 ''"% operator_sessions.token_hash 1', NULL, 'Grüße, 世界 ''"% operator_sessions.name 1', 'Grüße, 世界 ''"% operator_sessions.role 1', 'Grüße, 世界 ''"% operator_sessions.address 1', 9007199254740990, 9007199254740990, 9007199254740990);
INSERT INTO public.operators VALUES ('Grüße, 世界 ''"% operators 0', 'Grüße, 世界 ''"% operators.name 0', 'Grüße, 世界 ''"% operators.role 0', 'Grüße, 世界 ''"% operators.secret_hash 0', 9007199254740991);
INSERT INTO public.operators VALUES ('Grüße, 世界 ''"% operators 1', 'Grüße, 世界 ''"% operators.name 1', 'Grüße, 世界 ''"% operators.role 1', 'Grüße, 世界 ''"% operators.secret_hash 1', 9007199254740990);
INSERT INTO public.partner_event_heads VALUES ('Grüße, 世界 ''"% partners 0', 9007199254740991);
INSERT INTO public.partner_event_heads VALUES ('Grüße, 世界 ''"% partners 1', 9007199254740990);
INSERT INTO public.partner_events VALUES ('Grüße, 世界 ''"% partner_events 0', 'Grüße, 世界 ''"% partners 0', 9007199254740991, 'Grüße, 世界 ''"% partner_events.type 0', 'Grüße, 世界 ''"% partner_events.user_id 0', 'Grüße, 世界 ''"% partner_events.external_user_id 0', 'Grüße, 世界 ''"% partner_events.sealed_user_id 0', 'Grüße, 世界 ''"% partner_events.service 0', 'Grüße, 世界 ''"% partner_events.connection_id 0', 'Grüße, 世界 ''"% partner_events.data 0', 9007199254740991);
INSERT INTO public.partner_events VALUES ('Grüße, 世界 ''"% partner_events 1', 'Grüße, 世界 ''"% partners 1', 9007199254740990, 'Grüße, 世界 ''"% partner_events.type 1', NULL, NULL, NULL, NULL, NULL, 'Grüße, 世界 ''"% partner_events.data 1', 9007199254740990);
INSERT INTO public.partner_secrets VALUES ('Grüße, 世界 ''"% partner_secrets 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% partner_secrets.secret_hash 0', 9007199254740991, 9007199254740991);
INSERT INTO public.partner_secrets VALUES ('Grüße, 世界 ''"% partner_secrets 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% partner_secrets.secret_hash 1', 9007199254740990, NULL);
INSERT INTO public.partners VALUES ('Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% partners.client_id 0', 'Grüße, 世界 ''"% partners.name 0', 9007199254740991, 'Grüße, 世界 ''"% partners.redirect_uris 0', 'Grüße, 世界 ''"% partners.connect_uri 0', 'Grüße, 世界 ''"% partners.logo_text 0', 'Grüße, 世界 ''"% partners.services 0', 9007199254740991, 2147483647, 'Grüße, 世界 ''"% partners.accent_color 0', 'Grüße, 世界 ''"% partners.logo_hash 0', 'Grüße, 世界 ''"% partners.logo_type 0', 'Grüße, 世界 ''"% partners.logo 0');
INSERT INTO public.partners VALUES ('Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% partners.client_id 1', 'Grüße, 世界 ''"% partners.name 1', 9007199254740990, 'Grüße, 世界 ''"% partners.redirect_uris 1', NULL, NULL, NULL, NULL, 2147483646, NULL, NULL, NULL, NULL);
INSERT INTO public.rate_limits VALUES ('Grüße, 世界 ''"% rate_limits 0', 2147483647, 9007199254740991);
INSERT INTO public.rate_limits VALUES ('Grüße, 世界 ''"% rate_limits 1', 2147483646, 9007199254740990);
INSERT INTO public.refresh_tokens VALUES ('Grüße, 世界 ''"% refresh_tokens 0', 'Grüße, 世界 ''"% refresh_tokens.token_hash 0', 'Grüße, 世界 ''"% oauth_grants 0', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% refresh_tokens.sealed_seed 0');
INSERT INTO public.refresh_tokens VALUES ('Grüße, 世界 ''"% refresh_tokens 1', 'Grüße, 世界 ''"% refresh_tokens.token_hash 1', 'Grüße, 世界 ''"% oauth_grants 1', 9007199254740990, 9007199254740990, NULL, NULL, NULL);
INSERT INTO public.single_use_codes VALUES ('Grüße, 世界 ''"% single_use_codes 0', 'Grüße, 世界 ''"% single_use_codes.purpose 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% single_use_codes.payload 0', 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.single_use_codes VALUES ('Grüße, 世界 ''"% single_use_codes 1', 'Grüße, 世界 ''"% single_use_codes.purpose 1', NULL, 'Grüße, 世界 ''"% single_use_codes.payload 1', 9007199254740990, 9007199254740990, NULL);
INSERT INTO public.tool_facts VALUES ('Grüße, 世界 ''"% tool_facts 0', 'Grüße, 世界 ''"% tool_facts.facts 0', 9007199254740991);
INSERT INTO public.tool_facts VALUES ('Grüße, 世界 ''"% tool_facts 1', 'Grüße, 世界 ''"% tool_facts.facts 1', 9007199254740990);
INSERT INTO public.upstream_clients VALUES ('Grüße, 世界 ''"% upstream_clients 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% upstream_clients.service 0', 'Grüße, 世界 ''"% upstream_clients.owner 0', 'Grüße, 世界 ''"% upstream_clients.client_id 0', 'v2.k1.QtWdBZa_lNlI0sYtCNn_P-3jLNf1CfOQVJP2a45Qt7OPSY0ETLGKMsvh7grd-O298ynziBXCYgN4PBhF', 9007199254740991, 9007199254740991);
INSERT INTO public.upstream_clients VALUES ('Grüße, 世界 ''"% upstream_clients 1', NULL, 'Grüße, 世界 ''"% upstream_clients.service 1', 'Grüße, 世界 ''"% upstream_clients.owner 1', 'Grüße, 世界 ''"% upstream_clients.client_id 1', NULL, 9007199254740990, 9007199254740990);
INSERT INTO public.upstream_rates VALUES ('Grüße, 世界 ''"% upstream_rates 0', 2147483647, 9007199254740991);
INSERT INTO public.upstream_rates VALUES ('Grüße, 世界 ''"% upstream_rates 1', 2147483646, 9007199254740990);
INSERT INTO public.upstream_slots VALUES ('Grüße, 世界 ''"% upstream_slots 0', 'Grüße, 世界 ''"% upstream_slots.holder 0', 9007199254740991);
INSERT INTO public.upstream_slots VALUES ('Grüße, 世界 ''"% upstream_slots 1', 'Grüße, 世界 ''"% upstream_slots.holder 1', 9007199254740990);
INSERT INTO public.usage_tallies VALUES ('Grüße, 世界 ''"% usage_tallies 0', 9007199254740991, 'Grüße, 世界 ''"% usage_tallies.tool 0', 'Grüße, 世界 ''"% usage_tallies.place 0', 'Grüße, 世界 ''"% usage_tallies.facet 0', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.usage_tallies VALUES ('Grüße, 世界 ''"% usage_tallies 1', 9007199254740990, 'Grüße, 世界 ''"% usage_tallies.tool 1', 'Grüße, 世界 ''"% usage_tallies.place 1', 'Grüße, 世界 ''"% usage_tallies.facet 1', 9007199254740990, 9007199254740990, 9007199254740990, 9007199254740990, 9007199254740990);
INSERT INTO public.users VALUES ('Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users.external_user_id 0', 9007199254740991);
INSERT INTO public.users VALUES ('Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users.external_user_id 1', 9007199254740990);
INSERT INTO public.webhook_deliveries VALUES ('Grüße, 世界 ''"% webhook_deliveries 0', 'Grüße, 世界 ''"% webhook_endpoints 0', 'Grüße, 世界 ''"% webhook_deliveries.event_id 0', 'Grüße, 世界 ''"% webhook_deliveries.type 0', 'Grüße, 世界 ''"% webhook_deliveries.kind 0', 'Grüße, 世界 ''"% webhook_deliveries.order_key 0', 9007199254740991, 'Grüße, 世界 ''"% webhook_deliveries.status 0', 2147483647, 9007199254740991, 9007199254740991, 9007199254740991, 2147483647, 'Grüße, 世界 ''"% webhook_deliveries.problem 0', 2147483647, 9007199254740991);
INSERT INTO public.webhook_deliveries VALUES ('Grüße, 世界 ''"% webhook_deliveries 1', 'Grüße, 世界 ''"% webhook_endpoints 1', 'Grüße, 世界 ''"% webhook_deliveries.event_id 1', 'Grüße, 世界 ''"% webhook_deliveries.type 1', 'Grüße, 世界 ''"% webhook_deliveries.kind 1', 'Grüße, 世界 ''"% webhook_deliveries.order_key 1', 9007199254740990, 'Grüße, 世界 ''"% webhook_deliveries.status 1', 2147483646, NULL, 9007199254740990, NULL, NULL, NULL, NULL, 9007199254740990);
INSERT INTO public.webhook_endpoints VALUES ('Grüße, 世界 ''"% webhook_endpoints 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% webhook_endpoints.url 0', 'Grüße, 世界 ''"% webhook_endpoints.types 0', 'v2.k1.Ctf617F1JVXVmm_ZlibmpgOnLbJuIwTBw0IMwovrmaaSnCkT0kIpXgZEM0xbuiv8tsnJ3H_FRQcMmjKR', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% webhook_endpoints.disabled_reason 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% webhook_endpoints.leased_by 0', 9007199254740991);
INSERT INTO public.webhook_endpoints VALUES ('Grüße, 世界 ''"% webhook_endpoints 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% webhook_endpoints.url 1', NULL, 'v2.k1.C3I00FjZgbfio4tusDJ8mzUqzSkwDDilVGXLoTbZJNxA0eCS9VVB8ueg6DR7k4BoUJkBr5393BP3kyqA', NULL, 9007199254740990, 9007199254740990, NULL, NULL, NULL, 9007199254740990, NULL, 9007199254740990);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.anonymous_events
    ADD CONSTRAINT anonymous_events_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.attempt_counters
    ADD CONSTRAINT attempt_counters_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.audit_chains
    ADD CONSTRAINT audit_chains_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_keys
    ADD CONSTRAINT audit_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.call_records
    ADD CONSTRAINT call_records_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.call_tallies
    ADD CONSTRAINT call_tallies_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.calls_made_once
    ADD CONSTRAINT calls_made_once_pkey PRIMARY KEY (key_hash);
ALTER TABLE ONLY public.connect_sessions
    ADD CONSTRAINT connect_sessions_code_hash_key UNIQUE (code_hash);
ALTER TABLE ONLY public.connect_sessions
    ADD CONSTRAINT connect_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.connect_sessions
    ADD CONSTRAINT connect_sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.connection_attempts
    ADD CONSTRAINT connection_attempts_code_hash_key UNIQUE (code_hash);
ALTER TABLE ONLY public.connection_attempts
    ADD CONSTRAINT connection_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.connection_refreshes
    ADD CONSTRAINT connection_refreshes_pkey PRIMARY KEY (connection_id);
ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_of_user UNIQUE (user_id, service);
ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.drift_tallies
    ADD CONSTRAINT drift_tallies_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.identity_issuers
    ADD CONSTRAINT identity_issuers_by_name UNIQUE (issuer, tenant);
ALTER TABLE ONLY public.identity_issuers
    ADD CONSTRAINT identity_issuers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (client_id);
ALTER TABLE ONLY public.oauth_codes
    ADD CONSTRAINT oauth_codes_pkey PRIMARY KEY (code_hash);
ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_sessions
    ADD CONSTRAINT operator_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_sessions
    ADD CONSTRAINT operator_sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_name_key UNIQUE (name);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY public.partner_event_heads
    ADD CONSTRAINT partner_event_heads_pkey PRIMARY KEY (partner_id);
ALTER TABLE ONLY public.partner_events
    ADD CONSTRAINT partner_events_by_seq UNIQUE (partner_id, seq);
ALTER TABLE ONLY public.partner_events
    ADD CONSTRAINT partner_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.partner_secrets
    ADD CONSTRAINT partner_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.partner_secrets
    ADD CONSTRAINT partner_secrets_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY public.partners
    ADD CONSTRAINT partners_client_id_key UNIQUE (client_id);
ALTER TABLE ONLY public.partners
    ADD CONSTRAINT partners_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.single_use_codes
    ADD CONSTRAINT single_use_codes_pkey PRIMARY KEY (code_hash);
ALTER TABLE ONLY public.tool_facts
    ADD CONSTRAINT tool_facts_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.upstream_clients
    ADD CONSTRAINT upstream_clients_by_owner UNIQUE (owner, service);
ALTER TABLE ONLY public.upstream_clients
    ADD CONSTRAINT upstream_clients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.upstream_rates
    ADD CONSTRAINT upstream_rates_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.upstream_slots
    ADD CONSTRAINT upstream_slots_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.usage_tallies
    ADD CONSTRAINT usage_tallies_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_of_partner UNIQUE (partner_id, external_user_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);
CREATE INDEX access_tokens_by_end ON public.access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_by_grant ON public.access_tokens USING btree (grant_id);
CREATE INDEX access_tokens_by_user ON public.access_tokens USING btree (user_id);
CREATE INDEX anonymous_events_by_time ON public.anonymous_events USING btree (created_at);
CREATE INDEX attempt_counters_by_end ON public.attempt_counters USING btree (expires_at);
CREATE INDEX audit_events_by_chain ON public.audit_events USING btree (chain, chain_seq);
CREATE INDEX audit_events_by_time ON public.audit_events USING btree (created_at);
CREATE INDEX audit_events_of_user ON public.audit_events USING btree (user_id, created_at);
CREATE INDEX call_records_by_time ON public.call_records USING btree (created_at);
CREATE INDEX call_records_by_tool ON public.call_records USING btree (tool, created_at);
CREATE INDEX call_records_failed ON public.call_records USING btree (created_at) WHERE (outcome <> 'ok'::text);
CREATE INDEX call_records_of_grant ON public.call_records USING btree (grant_id, created_at);
CREATE INDEX call_records_of_partner ON public.call_records USING btree (partner_id, created_at);
CREATE INDEX call_records_of_request ON public.call_records USING btree (request_id);
CREATE INDEX call_records_of_service ON public.call_records USING btree (service, created_at);
CREATE INDEX call_records_of_user ON public.call_records USING btree (user_id, created_at);
CREATE INDEX call_tallies_by_time ON public.call_tallies USING btree (created_at);
CREATE INDEX call_tallies_of_partner ON public.call_tallies USING btree (partner_id, created_at);
CREATE INDEX calls_made_once_by_connection_id ON public.calls_made_once USING btree (connection_id);
CREATE INDEX calls_made_once_by_expires_at ON public.calls_made_once USING btree (expires_at);
CREATE INDEX calls_made_once_by_grant_id ON public.calls_made_once USING btree (grant_id, answer_bytes);
CREATE INDEX calls_made_once_by_token_id ON public.calls_made_once USING btree (token_id, answer_bytes);
CREATE INDEX calls_made_once_by_user_id ON public.calls_made_once USING btree (user_id);
CREATE INDEX connect_sessions_by_end ON public.connect_sessions USING btree (expires_at);
CREATE INDEX connect_sessions_of_user ON public.connect_sessions USING btree (partner_id, external_user_id);
CREATE INDEX connection_attempts_by_end ON public.connection_attempts USING btree (expires_at);
CREATE INDEX connection_attempts_of_network ON public.connection_attempts USING btree (made_from, id) WHERE (made_from IS NOT NULL);
CREATE INDEX connection_attempts_of_session ON public.connection_attempts USING btree (session_id);
CREATE INDEX connection_attempts_of_user ON public.connection_attempts USING btree (partner_id, external_user_id);
CREATE INDEX connections_by_refresh ON public.connections USING btree (service, refreshed_at);
CREATE INDEX connections_by_status ON public.connections USING btree (status, id);
CREATE INDEX drift_tallies_by_time ON public.drift_tallies USING btree (created_at);
CREATE INDEX identity_issuers_by_partner ON public.identity_issuers USING btree (partner_id);
CREATE INDEX oauth_clients_by_fetch ON public.oauth_clients USING btree (document_fetched_at);
CREATE INDEX oauth_clients_by_time ON public.oauth_clients USING btree (created_at);
CREATE INDEX oauth_clients_unused ON public.oauth_clients USING btree (registered_from, created_at) WHERE (first_used_at IS NULL);
CREATE INDEX oauth_codes_by_end ON public.oauth_codes USING btree (expires_at);
CREATE INDEX oauth_codes_by_grant ON public.oauth_codes USING btree (grant_id);
CREATE INDEX oauth_grants_by_client ON public.oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_by_end ON public.oauth_grants USING btree (expires_at);
CREATE INDEX oauth_grants_by_issuer ON public.oauth_grants USING btree (issuer_id);
CREATE INDEX oauth_grants_by_redirect_uri ON public.oauth_grants USING btree (redirect_uri);
CREATE INDEX oauth_grants_by_seen ON public.oauth_grants USING btree ((((permission)::json ->> 'seen'::text)));
CREATE INDEX oauth_grants_by_user ON public.oauth_grants USING btree (user_id);
CREATE INDEX operator_sessions_by_expiry ON public.operator_sessions USING btree (expires_at);
CREATE INDEX operator_sessions_by_operator ON public.operator_sessions USING btree (operator_id);
CREATE INDEX partner_events_by_age ON public.partner_events USING btree (created_at);
CREATE INDEX partner_events_by_user ON public.partner_events USING btree (user_id);
CREATE INDEX partner_secrets_by_partner ON public.partner_secrets USING btree (partner_id);
CREATE INDEX refresh_tokens_by_end ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_by_grant ON public.refresh_tokens USING btree (grant_id);
CREATE INDEX refresh_tokens_with_seed ON public.refresh_tokens USING btree (issues_at) WHERE (sealed_seed IS NOT NULL);
CREATE INDEX single_use_codes_by_end ON public.single_use_codes USING btree (expires_at);
CREATE INDEX single_use_codes_by_user ON public.single_use_codes USING btree (user_id);
CREATE INDEX upstream_clients_of_partner ON public.upstream_clients USING btree (partner_id, service);
CREATE INDEX usage_tallies_by_time ON public.usage_tallies USING btree (created_at);
CREATE INDEX users_by_external_user_id ON public.users USING btree (external_user_id);
CREATE INDEX users_of_partner_by_age ON public.users USING btree (partner_id, id);
CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (endpoint_id, status, next_attempt_at);
CREATE INDEX webhook_deliveries_by_order ON public.webhook_deliveries USING btree (endpoint_id, order_key, seq);
CREATE INDEX webhook_endpoints_by_partner ON public.webhook_endpoints USING btree (partner_id);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.calls_made_once
    ADD CONSTRAINT calls_made_once_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.calls_made_once
    ADD CONSTRAINT calls_made_once_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.calls_made_once
    ADD CONSTRAINT calls_made_once_token_id_fkey FOREIGN KEY (token_id) REFERENCES public.access_tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.calls_made_once
    ADD CONSTRAINT calls_made_once_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connect_sessions
    ADD CONSTRAINT connect_sessions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connection_attempts
    ADD CONSTRAINT connection_attempts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connection_refreshes
    ADD CONSTRAINT connection_refreshes_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connections
    ADD CONSTRAINT connections_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_issuers
    ADD CONSTRAINT identity_issuers_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_codes
    ADD CONSTRAINT oauth_codes_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(client_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_grants
    ADD CONSTRAINT oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operator_sessions
    ADD CONSTRAINT operator_sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES public.operators(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.partner_event_heads
    ADD CONSTRAINT partner_event_heads_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.partner_events
    ADD CONSTRAINT partner_events_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.partner_secrets
    ADD CONSTRAINT partner_secrets_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.single_use_codes
    ADD CONSTRAINT single_use_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.upstream_clients
    ADD CONSTRAINT upstream_clients_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
