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
CREATE TABLE public.approvals (
    id text NOT NULL,
    digest text,
    user_id text NOT NULL,
    grant_id text,
    token_id text,
    connection_id text NOT NULL,
    service text NOT NULL,
    tool text NOT NULL,
    sealed text,
    status text NOT NULL,
    channel text,
    proof text,
    created_at bigint NOT NULL,
    decided_at bigint,
    expires_at bigint NOT NULL
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
    chain_mac text,
    mac text
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
    definition text,
    connection_id text,
    approved_by text
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
    grant_id text,
    account text
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
    made_from text,
    account text
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
    credential_type text,
    account_name text,
    account_identity text
);
CREATE TABLE public.event_inlets (
    id text NOT NULL,
    partner_id text NOT NULL,
    user_id text NOT NULL,
    service text NOT NULL,
    address_hash text NOT NULL,
    sealed_credential text NOT NULL,
    created_at bigint NOT NULL,
    seq bigint NOT NULL
);
CREATE TABLE public.event_occurrences (
    id text NOT NULL,
    inlet_id text NOT NULL,
    seq bigint NOT NULL,
    event_id text NOT NULL,
    name text NOT NULL,
    occurred_at bigint NOT NULL,
    sealed text,
    created_at bigint NOT NULL
);
CREATE TABLE public.event_subscriptions (
    id text NOT NULL,
    partner_id text NOT NULL,
    user_id text NOT NULL,
    grant_id text NOT NULL,
    inlet_id text NOT NULL,
    name text NOT NULL,
    url_hash text NOT NULL,
    sealed_credential text NOT NULL,
    previous_until bigint,
    refresh_before bigint NOT NULL,
    created_at bigint NOT NULL,
    cursor bigint NOT NULL,
    next_attempt_at bigint,
    wakes bigint NOT NULL,
    ended text,
    attempts integer NOT NULL,
    first_attempt_at bigint,
    last_delivered_at bigint,
    last_error text,
    failing_since bigint,
    disabled_at bigint,
    leased_by text,
    leased_until bigint NOT NULL
);
CREATE TABLE public.identity_issuer_requests (
    id text NOT NULL,
    partner_id text NOT NULL,
    issuer text NOT NULL,
    tenant text NOT NULL,
    jwks_uri text,
    jwks text,
    subject_claim text NOT NULL,
    created_at bigint NOT NULL
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
    last_used_at bigint,
    approved_at bigint
);
CREATE TABLE public.kept_by_code (
    id text NOT NULL,
    user_id text NOT NULL,
    sealed text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.kept_files (
    id text NOT NULL,
    user_id text NOT NULL,
    sealed text NOT NULL,
    created_at bigint NOT NULL
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
    registered_from text,
    consent_open_until bigint
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
    logo text,
    approvals text,
    test_of text,
    footer integer DEFAULT 1 NOT NULL
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
CREATE TABLE public.store_keys (
    id text NOT NULL,
    sealed text NOT NULL
);
CREATE TABLE public.switches (
    name text NOT NULL,
    set_at bigint NOT NULL
);
CREATE TABLE public.tallies (
    id text NOT NULL,
    day bigint NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    count bigint NOT NULL
);
CREATE TABLE public.tasks (
    id text NOT NULL,
    user_id text NOT NULL,
    status text NOT NULL,
    version integer NOT NULL,
    state text NOT NULL,
    result text,
    approval_id text,
    holder text,
    held_until bigint NOT NULL,
    stops integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint NOT NULL
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
CREATE TABLE public.user_clients (
    client_id text NOT NULL,
    user_id text NOT NULL
);
CREATE TABLE public.users (
    id text NOT NULL,
    partner_id text NOT NULL,
    external_user_id text NOT NULL,
    created_at bigint NOT NULL,
    approvals text
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
INSERT INTO public.approvals VALUES ('Grüße, 世界 ''"% approvals 0', 'Grüße, 世界 ''"% approvals.digest 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% approvals.service 0', 'Grüße, 世界 ''"% approvals.tool 0', 'Grüße, 世界 ''"% approvals.sealed 0', 'Grüße, 世界 ''"% approvals.status 0', 'Grüße, 世界 ''"% approvals.channel 0', 'Grüße, 世界 ''"% approvals.proof 0', 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.approvals VALUES ('Grüße, 世界 ''"% approvals 1', NULL, 'Grüße, 世界 ''"% users 1', NULL, NULL, 'Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% approvals.service 1', 'Grüße, 世界 ''"% approvals.tool 1', NULL, 'Grüße, 世界 ''"% approvals.status 1', NULL, NULL, 9007199254740990, NULL, 9007199254740990);
INSERT INTO public.attempt_counters VALUES ('Grüße, 世界 ''"% attempt_counters 0', 2147483647, 9007199254740991);
INSERT INTO public.attempt_counters VALUES ('Grüße, 世界 ''"% attempt_counters 1', 2147483646, 9007199254740990);
INSERT INTO public.audit_chains VALUES (2147483647, 'Grüße, 世界 ''"% audit_chains.node 0', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% audit_chains.base_mac 0', 9007199254740991, 'Grüße, 世界 ''"% audit_chains.head_mac 0', 'Grüße, 世界 ''"% audit_chains.seal 0');
INSERT INTO public.audit_chains VALUES (2147483646, 'Grüße, 世界 ''"% audit_chains.node 1', 9007199254740990, 9007199254740990, 9007199254740990, 'Grüße, 世界 ''"% audit_chains.base_mac 1', 9007199254740990, 'Grüße, 世界 ''"% audit_chains.head_mac 1', 'Grüße, 世界 ''"% audit_chains.seal 1');
INSERT INTO public.audit_events VALUES ('00000000-0000-7ad4-81e8-bad6e8b010ad', 0, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":0,"TEXT":"Grüße, 世界 ''\"% "}', NULL, NULL, NULL, 'k1.XKyoHxSKeYCtii3p0cf6u-_Y3xy84aKTcPdRqAHFbrg');
INSERT INTO public.audit_events VALUES ('00000000-0001-7e83-97af-7fa4f91e96c5', 1, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":1,"TEXT":"Grüße, 世界 ''\"% "}', NULL, NULL, NULL, 'k1.T7NiI_LJEaa0TI01pRrZYOFHGLlTLj-NtTt7f77Rlo0');
INSERT INTO public.audit_events VALUES ('00000000-0002-7155-a957-369fe572eb9e', 2, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":2,"TEXT":"Grüße, 世界 ''\"% "}', NULL, NULL, NULL, 'k1.GIwhyy6Pag2-jJbCsUmjG0fwNy13tHMj8Tnq_uNZ1Co');
INSERT INTO public.audit_events VALUES ('00000000-0003-7ed2-9ba5-fe0179847f37', 3, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":3,"TEXT":"Grüße, 世界 ''\"% "}', NULL, NULL, NULL, 'k1.XMAMgina5KHOKCYZIs0wOgCrKFA7fXMljIwMQWLiw5w');
INSERT INTO public.audit_events VALUES ('00000000-0004-7e7c-a5c2-a1cd83b428a8', 4, 'consent_given', NULL, 'Grüße, 世界 ''"% users 0', NULL, NULL, NULL, NULL, '{"n":4,"TEXT":"Grüße, 世界 ''\"% "}', NULL, NULL, NULL, 'k1.8qiYr8bnQBe1HW9xXLbE6--58hH8HRrbsyI9fus6Zc4');
INSERT INTO public.audit_keys VALUES ('k1', 'v1.k1.l9nx2wcT8wk5NUwwg5Zi8Da4rFC_GyXAU2CaACJPnOl1ubu065GPJQzlYEvVE6JUH--npe_fMj6FwslrsgaNE8eaDOmItM0YMTVKc_zNkp3c1sHVbPTWHPshS6h30WVN38F0Dlzgy8rPm2U7b8uNbg');
INSERT INTO public.call_records VALUES ('Grüße, 世界 ''"% call_records 0', 9007199254740991, 'Grüße, 世界 ''"% call_records.partner_id 0', 'Grüße, 世界 ''"% call_records.user_id 0', 'Grüße, 世界 ''"% call_records.token_id 0', 'Grüße, 世界 ''"% call_records.service 0', 'Grüße, 世界 ''"% call_records.tool 0', 'Grüße, 世界 ''"% call_records.outcome 0', 2147483647, 2147483647, 2147483647, 2147483647, 'Grüße, 世界 ''"% call_records.request_id 0', 'Grüße, 世界 ''"% call_records.upstream_code 0', 'Grüße, 世界 ''"% call_records.grant_id 0', 'Grüße, 世界 ''"% call_records.definition 0', 'Grüße, 世界 ''"% call_records.connection_id 0', 'Grüße, 世界 ''"% call_records.approved_by 0');
INSERT INTO public.call_records VALUES ('Grüße, 世界 ''"% call_records 1', 9007199254740990, 'Grüße, 世界 ''"% call_records.partner_id 1', 'Grüße, 世界 ''"% call_records.user_id 1', 'Grüße, 世界 ''"% call_records.token_id 1', 'Grüße, 世界 ''"% call_records.service 1', 'Grüße, 世界 ''"% call_records.tool 1', 'Grüße, 世界 ''"% call_records.outcome 1', NULL, 2147483646, 2147483646, 2147483646, 'Grüße, 世界 ''"% call_records.request_id 1', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.call_tallies VALUES ('Grüße, 世界 ''"% call_tallies 0', 'Grüße, 世界 ''"% call_tallies.partner_id 0', 9007199254740991, 'Grüße, 世界 ''"% call_tallies.service 0', 'Grüße, 世界 ''"% call_tallies.tool 0', 'Grüße, 世界 ''"% call_tallies.outcome 0', 2147483647, 9007199254740991);
INSERT INTO public.call_tallies VALUES ('Grüße, 世界 ''"% call_tallies 1', 'Grüße, 世界 ''"% call_tallies.partner_id 1', 9007199254740990, 'Grüße, 世界 ''"% call_tallies.service 1', 'Grüße, 世界 ''"% call_tallies.tool 1', 'Grüße, 世界 ''"% call_tallies.outcome 1', 2147483646, 9007199254740990);
INSERT INTO public.calls_made_once VALUES ('Grüße, 世界 ''"% calls_made_once 0', 'Grüße, 世界 ''"% calls_made_once.call_hash 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% calls_made_once.status 0', 'Grüße, 世界 ''"% calls_made_once.holder 0', 9007199254740991, 'Grüße, 世界 ''"% calls_made_once.sealed_answer 0', 2147483647, 9007199254740991, 9007199254740991);
INSERT INTO public.calls_made_once VALUES ('Grüße, 世界 ''"% calls_made_once 1', 'Grüße, 世界 ''"% calls_made_once.call_hash 1', 'Grüße, 世界 ''"% users 1', NULL, NULL, 'Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% calls_made_once.status 1', 'Grüße, 世界 ''"% calls_made_once.holder 1', 9007199254740990, NULL, 2147483646, 9007199254740990, 9007199254740990);
INSERT INTO public.connect_sessions VALUES ('Grüße, 世界 ''"% connect_sessions 0', 'Grüße, 世界 ''"% connect_sessions.token_hash 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% connect_sessions.external_user_id 0', 'Grüße, 世界 ''"% connect_sessions.services 0', 'Grüße, 世界 ''"% connect_sessions.skipped 0', 'Grüße, 世界 ''"% connect_sessions.redirect_uri 0', 'Grüße, 世界 ''"% connect_sessions.state 0', 'Grüße, 世界 ''"% connect_sessions.locale 0', 'Grüße, 世界 ''"% connect_sessions.allowed_origins 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connect_sessions.browser_hash 0', 'Grüße, 世界 ''"% connect_sessions.code_hash 0', 9007199254740991, 'Grüße, 世界 ''"% connect_sessions.grant_id 0', 'Grüße, 世界 ''"% connect_sessions.account 0');
INSERT INTO public.connect_sessions VALUES ('Grüße, 世界 ''"% connect_sessions 1', 'Grüße, 世界 ''"% connect_sessions.token_hash 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% connect_sessions.external_user_id 1', 'Grüße, 世界 ''"% connect_sessions.services 1', 'Grüße, 世界 ''"% connect_sessions.skipped 1', 'Grüße, 世界 ''"% connect_sessions.redirect_uri 1', NULL, NULL, 'Grüße, 世界 ''"% connect_sessions.allowed_origins 1', 9007199254740990, 9007199254740990, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.connection_attempts VALUES ('Grüße, 世界 ''"% connection_attempts 0', 'Grüße, 世界 ''"% connection_attempts.code_hash 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% connection_attempts.external_user_id 0', 'Grüße, 世界 ''"% connection_attempts.service 0', 'Grüße, 世界 ''"% connection_attempts.redirect_uri 0', 'v2.k1.49UxwoLJo4uStWSuze6CJ83hukAta0gDWc2DNgCb6ehlc5IiZElJgldizwdEq-XvwLRvzI8PzxwHNHrP', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connection_attempts.grant_id 0', 'Grüße, 世界 ''"% connection_attempts.session_id 0', 'Grüße, 世界 ''"% connection_attempts.made_from 0', 'Grüße, 世界 ''"% connection_attempts.account 0');
INSERT INTO public.connection_attempts VALUES ('Grüße, 世界 ''"% connection_attempts 1', 'Grüße, 世界 ''"% connection_attempts.code_hash 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% connection_attempts.external_user_id 1', 'Grüße, 世界 ''"% connection_attempts.service 1', 'Grüße, 世界 ''"% connection_attempts.redirect_uri 1', 'v2.k1.9wVradICyoNVjS3wlMDex18xGG9hejePBvVjYovv17b2v1ntMw6m5fXpG2EUpvT5nVLmosIfMgY1WhYn', 9007199254740990, 9007199254740990, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.connection_refreshes VALUES ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% connection_refreshes.holder 0', 9007199254740991, 2147483647, 9007199254740991, 9007199254740991);
INSERT INTO public.connection_refreshes VALUES ('Grüße, 世界 ''"% connections 1', NULL, 9007199254740990, 2147483646, 9007199254740990, 9007199254740990);
INSERT INTO public.connections VALUES ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% connections.service 0', 'Grüße, 世界 ''"% connections.status 0', 'v2.k1.YEk2ToSXPfO6D0-3nNqrPAv6ybOu7tva00E0eC7dpFTyHuCGKTfHKgkq1Ba3eHFbJsPF9X9-7b5O2N0T', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connections.account 0', 'Grüße, 世界 ''"% connections.credential_type 0', 'Grüße, 世界 ''"% connections.account_name 0', 'Grüße, 世界 ''"% connections.account_identity 0');
INSERT INTO public.connections VALUES ('Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% connections.service 1', 'Grüße, 世界 ''"% connections.status 1', 'v2.k1.rAADdMopVl-0fqVgEm7PfjfJtoi8Pg9ERmPd3Xgm63H-80y3My66h--ZFZtMsi7jHYawVy7zCqx3soqT', 9007199254740990, 9007199254740990, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.event_inlets VALUES ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% event_inlets.service 0', 'Grüße, 世界 ''"% event_inlets.address_hash 0', 'v2.k1.Ne2qxW6Jhw_FLcJtiiadZxWmh8CeJJAad22knJyhxsbl306KvcGSup-HSafNA47w973eQM7aArbN2EYQ', 9007199254740991, 9007199254740991);
INSERT INTO public.event_inlets VALUES ('Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% event_inlets.service 1', 'Grüße, 世界 ''"% event_inlets.address_hash 1', 'v2.k1.SCfJLsoUl6LwzVGm5iNTFZB1QW6F6HjpVpLRH6B01M0LQw70NMh6Y4EeYQw7G_8cUmw65J4pSwFr_6IX', 9007199254740990, 9007199254740990);
INSERT INTO public.event_occurrences VALUES ('Grüße, 世界 ''"% event_occurrences 0', 'Grüße, 世界 ''"% connections 0', 9007199254740991, 'Grüße, 世界 ''"% event_occurrences.event_id 0', 'Grüße, 世界 ''"% event_occurrences.name 0', 9007199254740991, 'Grüße, 世界 ''"% event_occurrences.sealed 0', 9007199254740991);
INSERT INTO public.event_occurrences VALUES ('Grüße, 世界 ''"% event_occurrences 1', 'Grüße, 世界 ''"% connections 1', 9007199254740990, 'Grüße, 世界 ''"% event_occurrences.event_id 1', 'Grüße, 世界 ''"% event_occurrences.name 1', 9007199254740990, NULL, 9007199254740990);
INSERT INTO public.event_subscriptions VALUES ('Grüße, 世界 ''"% event_subscriptions 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% event_subscriptions.inlet_id 0', 'Grüße, 世界 ''"% event_subscriptions.name 0', 'Grüße, 世界 ''"% event_subscriptions.url_hash 0', 'v2.k1.6mPHe4toB8nWroet6CcV0Uls1Hw75rBXcQcc7KWDTDpR766RbjnbNnXGKejHJwKuOJdznwgwI7B6tsDl', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% event_subscriptions.ended 0', 2147483647, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% event_subscriptions.last_error 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% event_subscriptions.leased_by 0', 9007199254740991);
INSERT INTO public.event_subscriptions VALUES ('Grüße, 世界 ''"% event_subscriptions 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% oauth_grants 1', 'Grüße, 世界 ''"% event_subscriptions.inlet_id 1', 'Grüße, 世界 ''"% event_subscriptions.name 1', 'Grüße, 世界 ''"% event_subscriptions.url_hash 1', 'v2.k1.PmdJ28O--9jf0whPVa2IqIzGmYRLObZ8gj3_kPvxtW8YbFOLuzZWAzjz0WURpxL_704xpUfr5wMJhHzJ', NULL, 9007199254740990, 9007199254740990, 9007199254740990, NULL, 9007199254740990, NULL, 2147483646, NULL, NULL, NULL, NULL, NULL, NULL, 9007199254740990);
INSERT INTO public.identity_issuer_requests VALUES ('Grüße, 世界 ''"% identity_issuer_requests 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% identity_issuer_requests.issuer 0', 'Grüße, 世界 ''"% identity_issuer_requests.tenant 0', 'Grüße, 世界 ''"% identity_issuer_requests.jwks_uri 0', 'Grüße, 世界 ''"% identity_issuer_requests.jwks 0', 'Grüße, 世界 ''"% identity_issuer_requests.subject_claim 0', 9007199254740991);
INSERT INTO public.identity_issuer_requests VALUES ('Grüße, 世界 ''"% identity_issuer_requests 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% identity_issuer_requests.issuer 1', 'Grüße, 世界 ''"% identity_issuer_requests.tenant 1', NULL, NULL, 'Grüße, 世界 ''"% identity_issuer_requests.subject_claim 1', 9007199254740990);
INSERT INTO public.identity_issuers VALUES ('Grüße, 世界 ''"% identity_issuers 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% identity_issuers.issuer 0', 'Grüße, 世界 ''"% identity_issuers.tenant 0', 'Grüße, 世界 ''"% identity_issuers.jwks_uri 0', 'Grüße, 世界 ''"% identity_issuers.jwks 0', 'Grüße, 世界 ''"% identity_issuers.subject_claim 0', 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.identity_issuers VALUES ('Grüße, 世界 ''"% identity_issuers 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% identity_issuers.issuer 1', 'Grüße, 世界 ''"% identity_issuers.tenant 1', NULL, NULL, 'Grüße, 世界 ''"% identity_issuers.subject_claim 1', 9007199254740990, NULL, NULL);
INSERT INTO public.kept_by_code VALUES ('Grüße, 世界 ''"% kept_by_code 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% kept_by_code.sealed 0', 9007199254740991);
INSERT INTO public.kept_by_code VALUES ('Grüße, 世界 ''"% kept_by_code 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% kept_by_code.sealed 1', 9007199254740990);
INSERT INTO public.kept_files VALUES ('Grüße, 世界 ''"% kept_files 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% kept_files.sealed 0', 9007199254740991);
INSERT INTO public.kept_files VALUES ('Grüße, 世界 ''"% kept_files 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% kept_files.sealed 1', 9007199254740990);
INSERT INTO public.kysely_migration VALUES ('0033-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0034-store-keys', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0035-approvals', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0036-accounts', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0037-account-identity', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0038-standing-approvals', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0039-test-partners', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0040-partner-footer', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0041-user-prefixes', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('0042-open-consents', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('admin/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('audit/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('audit/0002-mac', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('client-credentials/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('code/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('events/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('files/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('identity-assertions/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('identity-assertions/0002-approval', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('identity-assertions/0003-requests', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('tallies/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('tallies/0002-earlier-counts', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('tasks/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration VALUES ('webhooks/0001-baseline', '2026-01-01T00:00:00.000Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.oauth_clients VALUES ('Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% oauth_clients.secret_hash 0', 'Grüße, 世界 ''"% oauth_clients.authentication_method 0', 'Grüße, 世界 ''"% oauth_clients.application_type 0', 'Grüße, 世界 ''"% oauth_clients.client_name 0', 'Grüße, 世界 ''"% oauth_clients.redirect_uris 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_clients.jwks 0', 'Grüße, 世界 ''"% oauth_clients.jwks_uri 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_clients.registered_from 0', 9007199254740991);
INSERT INTO public.oauth_clients VALUES ('Grüße, 世界 ''"% oauth_clients 1', NULL, 'Grüße, 世界 ''"% oauth_clients.authentication_method 1', 'Grüße, 世界 ''"% oauth_clients.application_type 1', NULL, 'Grüße, 世界 ''"% oauth_clients.redirect_uris 1', 9007199254740990, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
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
INSERT INTO public.partners VALUES ('Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% partners.client_id 0', 'Grüße, 世界 ''"% partners.name 0', 9007199254740991, 'Grüße, 世界 ''"% partners.redirect_uris 0', 'Grüße, 世界 ''"% partners.connect_uri 0', 'Grüße, 世界 ''"% partners.logo_text 0', 'Grüße, 世界 ''"% partners.services 0', 9007199254740991, 2147483647, 'Grüße, 世界 ''"% partners.accent_color 0', 'Grüße, 世界 ''"% partners.logo_hash 0', 'Grüße, 世界 ''"% partners.logo_type 0', 'Grüße, 世界 ''"% partners.logo 0', 'Grüße, 世界 ''"% partners.approvals 0', 'Grüße, 世界 ''"% partners.test_of 0', 2147483647);
INSERT INTO public.partners VALUES ('Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% partners.client_id 1', 'Grüße, 世界 ''"% partners.name 1', 9007199254740990, 'Grüße, 世界 ''"% partners.redirect_uris 1', NULL, NULL, NULL, NULL, 2147483646, NULL, NULL, NULL, NULL, NULL, NULL, 2147483646);
INSERT INTO public.rate_limits VALUES ('Grüße, 世界 ''"% rate_limits 0', 2147483647, 9007199254740991);
INSERT INTO public.rate_limits VALUES ('Grüße, 世界 ''"% rate_limits 1', 2147483646, 9007199254740990);
INSERT INTO public.refresh_tokens VALUES ('Grüße, 世界 ''"% refresh_tokens 0', 'Grüße, 世界 ''"% refresh_tokens.token_hash 0', 'Grüße, 世界 ''"% oauth_grants 0', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% refresh_tokens.sealed_seed 0');
INSERT INTO public.refresh_tokens VALUES ('Grüße, 世界 ''"% refresh_tokens 1', 'Grüße, 世界 ''"% refresh_tokens.token_hash 1', 'Grüße, 世界 ''"% oauth_grants 1', 9007199254740990, 9007199254740990, NULL, NULL, NULL);
INSERT INTO public.single_use_codes VALUES ('Grüße, 世界 ''"% single_use_codes 0', 'Grüße, 世界 ''"% single_use_codes.purpose 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% single_use_codes.payload 0', 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.single_use_codes VALUES ('Grüße, 世界 ''"% single_use_codes 1', 'Grüße, 世界 ''"% single_use_codes.purpose 1', NULL, 'Grüße, 世界 ''"% single_use_codes.payload 1', 9007199254740990, 9007199254740990, NULL);
INSERT INTO public.store_keys VALUES ('Grüße, 世界 ''"% store_keys 0', 'Grüße, 世界 ''"% store_keys.sealed 0');
INSERT INTO public.store_keys VALUES ('Grüße, 世界 ''"% store_keys 1', 'Grüße, 世界 ''"% store_keys.sealed 1');
INSERT INTO public.switches VALUES ('Grüße, 世界 ''"% switches 0', 9007199254740991);
INSERT INTO public.switches VALUES ('Grüße, 世界 ''"% switches 1', 9007199254740990);
INSERT INTO public.tallies VALUES ('Grüße, 世界 ''"% tallies 0', 9007199254740991, 'Grüße, 世界 ''"% tallies.kind 0', 'Grüße, 世界 ''"% tallies.key 0', 9007199254740991);
INSERT INTO public.tallies VALUES ('Grüße, 世界 ''"% tallies 1', 9007199254740990, 'Grüße, 世界 ''"% tallies.kind 1', 'Grüße, 世界 ''"% tallies.key 1', 9007199254740990);
INSERT INTO public.tasks VALUES ('Grüße, 世界 ''"% tasks 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% tasks.status 0', 2147483647, 'Grüße, 世界 ''"% tasks.state 0', 'Grüße, 世界 ''"% tasks.result 0', 'Grüße, 世界 ''"% tasks.approval_id 0', 'Grüße, 世界 ''"% tasks.holder 0', 9007199254740991, 2147483647, 9007199254740991, 9007199254740991, 9007199254740991);
INSERT INTO public.tasks VALUES ('Grüße, 世界 ''"% tasks 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% tasks.status 1', 2147483646, 'Grüße, 世界 ''"% tasks.state 1', NULL, NULL, NULL, 9007199254740990, 2147483646, 9007199254740990, 9007199254740990, 9007199254740990);
INSERT INTO public.tool_facts VALUES ('Grüße, 世界 ''"% tool_facts 0', 'Grüße, 世界 ''"% tool_facts.facts 0', 9007199254740991);
INSERT INTO public.tool_facts VALUES ('Grüße, 世界 ''"% tool_facts 1', 'Grüße, 世界 ''"% tool_facts.facts 1', 9007199254740990);
INSERT INTO public.upstream_clients VALUES ('Grüße, 世界 ''"% upstream_clients 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% upstream_clients.service 0', 'Grüße, 世界 ''"% upstream_clients.owner 0', 'Grüße, 世界 ''"% upstream_clients.client_id 0', 'v2.k1.D7pS9gqVk5YfkDd6LZo9Ry4YcGUBBpToElvXJQovFQso8AydVZk5yQhJWnkjFfnXwa7Ksgaqkp5ym2tk', 9007199254740991, 9007199254740991);
INSERT INTO public.upstream_clients VALUES ('Grüße, 世界 ''"% upstream_clients 1', NULL, 'Grüße, 世界 ''"% upstream_clients.service 1', 'Grüße, 世界 ''"% upstream_clients.owner 1', 'Grüße, 世界 ''"% upstream_clients.client_id 1', NULL, 9007199254740990, 9007199254740990);
INSERT INTO public.upstream_rates VALUES ('Grüße, 世界 ''"% upstream_rates 0', 2147483647, 9007199254740991);
INSERT INTO public.upstream_rates VALUES ('Grüße, 世界 ''"% upstream_rates 1', 2147483646, 9007199254740990);
INSERT INTO public.upstream_slots VALUES ('Grüße, 世界 ''"% upstream_slots 0', 'Grüße, 世界 ''"% upstream_slots.holder 0', 9007199254740991);
INSERT INTO public.upstream_slots VALUES ('Grüße, 世界 ''"% upstream_slots 1', 'Grüße, 世界 ''"% upstream_slots.holder 1', 9007199254740990);
INSERT INTO public.user_clients VALUES ('Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% users 0');
INSERT INTO public.user_clients VALUES ('Grüße, 世界 ''"% oauth_clients 1', 'Grüße, 世界 ''"% users 1');
INSERT INTO public.users VALUES ('Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users.external_user_id 0', 9007199254740991, 'Grüße, 世界 ''"% users.approvals 0');
INSERT INTO public.users VALUES ('Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users.external_user_id 1', 9007199254740990, NULL);
INSERT INTO public.webhook_deliveries VALUES ('Grüße, 世界 ''"% webhook_deliveries 0', 'Grüße, 世界 ''"% webhook_endpoints 0', 'Grüße, 世界 ''"% webhook_deliveries.event_id 0', 'Grüße, 世界 ''"% webhook_deliveries.type 0', 'Grüße, 世界 ''"% webhook_deliveries.kind 0', 'Grüße, 世界 ''"% webhook_deliveries.order_key 0', 9007199254740991, 'Grüße, 世界 ''"% webhook_deliveries.status 0', 2147483647, 9007199254740991, 9007199254740991, 9007199254740991, 2147483647, 'Grüße, 世界 ''"% webhook_deliveries.problem 0', 2147483647, 9007199254740991);
INSERT INTO public.webhook_deliveries VALUES ('Grüße, 世界 ''"% webhook_deliveries 1', 'Grüße, 世界 ''"% webhook_endpoints 1', 'Grüße, 世界 ''"% webhook_deliveries.event_id 1', 'Grüße, 世界 ''"% webhook_deliveries.type 1', 'Grüße, 世界 ''"% webhook_deliveries.kind 1', 'Grüße, 世界 ''"% webhook_deliveries.order_key 1', 9007199254740990, 'Grüße, 世界 ''"% webhook_deliveries.status 1', 2147483646, NULL, 9007199254740990, NULL, NULL, NULL, NULL, 9007199254740990);
INSERT INTO public.webhook_endpoints VALUES ('Grüße, 世界 ''"% webhook_endpoints 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% webhook_endpoints.url 0', 'Grüße, 世界 ''"% webhook_endpoints.types 0', 'v2.k1.ZKzSjjS29UNCq3qeCUMdkJYmH_C0GylIMpMQtt_EetgWSLofEUS_e5_zAW3pCmuprgfbjaqFU_arYIc_', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% webhook_endpoints.disabled_reason 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% webhook_endpoints.leased_by 0', 9007199254740991);
INSERT INTO public.webhook_endpoints VALUES ('Grüße, 世界 ''"% webhook_endpoints 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% webhook_endpoints.url 1', NULL, 'v2.k1.qNam2zjR_CHIbyPqEnweLblxyvIMAqJTL2ib-LVYbmiCNqSJehM-BMHDriqIghgKl4oTS55EEOQlnxL6', NULL, 9007199254740990, 9007199254740990, NULL, NULL, NULL, 9007199254740990, NULL, 9007199254740990);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.anonymous_events
    ADD CONSTRAINT anonymous_events_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.event_inlets
    ADD CONSTRAINT event_inlets_address_hash_key UNIQUE (address_hash);
ALTER TABLE ONLY public.event_inlets
    ADD CONSTRAINT event_inlets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event_occurrences
    ADD CONSTRAINT event_occurrences_by_event UNIQUE (inlet_id, event_id);
ALTER TABLE ONLY public.event_occurrences
    ADD CONSTRAINT event_occurrences_by_seq UNIQUE (inlet_id, seq);
ALTER TABLE ONLY public.event_occurrences
    ADD CONSTRAINT event_occurrences_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event_subscriptions
    ADD CONSTRAINT event_subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_issuer_requests
    ADD CONSTRAINT identity_issuer_requests_by_name UNIQUE (partner_id, issuer, tenant);
ALTER TABLE ONLY public.identity_issuer_requests
    ADD CONSTRAINT identity_issuer_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identity_issuers
    ADD CONSTRAINT identity_issuers_by_name UNIQUE (issuer, tenant);
ALTER TABLE ONLY public.identity_issuers
    ADD CONSTRAINT identity_issuers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kept_by_code
    ADD CONSTRAINT kept_by_code_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kept_files
    ADD CONSTRAINT kept_files_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.store_keys
    ADD CONSTRAINT store_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.switches
    ADD CONSTRAINT switches_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.user_clients
    ADD CONSTRAINT user_clients_pkey PRIMARY KEY (client_id);
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
CREATE INDEX approvals_by_connection_id ON public.approvals USING btree (connection_id);
CREATE INDEX approvals_by_expires_at ON public.approvals USING btree (expires_at);
CREATE INDEX approvals_by_grant_id ON public.approvals USING btree (grant_id);
CREATE INDEX approvals_by_token_id ON public.approvals USING btree (token_id);
CREATE INDEX approvals_by_user_id ON public.approvals USING btree (user_id, id);
CREATE INDEX attempt_counters_by_end ON public.attempt_counters USING btree (expires_at);
CREATE INDEX audit_events_by_chain ON public.audit_events USING btree (chain, chain_seq);
CREATE INDEX audit_events_by_time ON public.audit_events USING btree (created_at);
CREATE INDEX audit_events_of_user ON public.audit_events USING btree (user_id, created_at);
CREATE INDEX audit_events_without_mac ON public.audit_events USING btree (id) WHERE (mac IS NULL);
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
CREATE INDEX event_inlets_by_partner ON public.event_inlets USING btree (partner_id);
CREATE INDEX event_inlets_by_user ON public.event_inlets USING btree (user_id);
CREATE INDEX event_occurrences_by_age ON public.event_occurrences USING btree (created_at);
CREATE INDEX event_subscriptions_by_end ON public.event_subscriptions USING btree (refresh_before);
CREATE INDEX event_subscriptions_by_grant ON public.event_subscriptions USING btree (grant_id);
CREATE INDEX event_subscriptions_by_inlet ON public.event_subscriptions USING btree (inlet_id, name);
CREATE INDEX event_subscriptions_by_partner ON public.event_subscriptions USING btree (partner_id);
CREATE INDEX event_subscriptions_by_user ON public.event_subscriptions USING btree (user_id);
CREATE INDEX event_subscriptions_due ON public.event_subscriptions USING btree (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX identity_issuers_by_partner ON public.identity_issuers USING btree (partner_id);
CREATE INDEX kept_by_code_by_time ON public.kept_by_code USING btree (created_at);
CREATE INDEX kept_by_code_by_user ON public.kept_by_code USING btree (user_id, created_at);
CREATE INDEX kept_files_by_time ON public.kept_files USING btree (created_at);
CREATE INDEX kept_files_by_user ON public.kept_files USING btree (user_id, created_at);
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
CREATE INDEX tallies_by_kind ON public.tallies USING btree (kind, day);
CREATE INDEX tallies_by_time ON public.tallies USING btree (day);
CREATE INDEX tasks_by_expiry ON public.tasks USING btree (expires_at);
CREATE INDEX tasks_by_user ON public.tasks USING btree (user_id, expires_at);
CREATE INDEX upstream_clients_of_partner ON public.upstream_clients USING btree (partner_id, service);
CREATE INDEX user_clients_by_user ON public.user_clients USING btree (user_id);
CREATE INDEX users_by_external_user_id ON public.users USING btree (external_user_id);
CREATE INDEX users_by_prefix ON public.users USING btree (external_user_id COLLATE "C");
CREATE INDEX users_of_partner_by_age ON public.users USING btree (partner_id, id);
CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (endpoint_id, status, next_attempt_at);
CREATE INDEX webhook_deliveries_by_order ON public.webhook_deliveries USING btree (endpoint_id, order_key, seq);
CREATE INDEX webhook_endpoints_by_partner ON public.webhook_endpoints USING btree (partner_id);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_token_id_fkey FOREIGN KEY (token_id) REFERENCES public.access_tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.event_inlets
    ADD CONSTRAINT event_inlets_id_fkey FOREIGN KEY (id) REFERENCES public.connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_inlets
    ADD CONSTRAINT event_inlets_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_inlets
    ADD CONSTRAINT event_inlets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_occurrences
    ADD CONSTRAINT event_occurrences_inlet_id_fkey FOREIGN KEY (inlet_id) REFERENCES public.event_inlets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_subscriptions
    ADD CONSTRAINT event_subscriptions_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_subscriptions
    ADD CONSTRAINT event_subscriptions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_subscriptions
    ADD CONSTRAINT event_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_issuer_requests
    ADD CONSTRAINT identity_issuer_requests_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identity_issuers
    ADD CONSTRAINT identity_issuers_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.kept_by_code
    ADD CONSTRAINT kept_by_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.kept_files
    ADD CONSTRAINT kept_files_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.upstream_clients
    ADD CONSTRAINT upstream_clients_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_clients
    ADD CONSTRAINT user_clients_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(client_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_clients
    ADD CONSTRAINT user_clients_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES public.partners(id) ON DELETE CASCADE;
