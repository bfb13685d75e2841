/**
 * Tables and functions by which the stages of all workers share what a provider carries (`provider-permits.ts`). Whoever gives out
 * permits holds the row of the limit, so that two workers cannot give out the same one; nobody waits for that row, because who holds it
 * gives out what there is, and each worker looks again soon. The functions have the rights of the owner: a worker can neither change a
 * limit nor take a permit in any other way.
 */
export const permitTables: readonly string[] = [
  `create table if not exists attractor.limits (
     provider text primary key check (provider = lower(provider)),
     concurrency integer check (concurrency >= 0),
     rate_limit_max integer check (rate_limit_max >= 0),
     rate_limit_period_sec double precision check (rate_limit_period_sec > 0),
     check ((rate_limit_max is null) = (rate_limit_period_sec is null))
   )`,
  // A row is a stage that waits, that has begun, or, for as long as it counts for a rate, one that has ended. Without a worker, it is
  // the place of a stage that will ask again.
  `create table if not exists attractor.permits (
     id bigint generated always as identity primary key,
     provider text not null,
     holder text not null,
     worker text,
     asked timestamptz not null,
     begun timestamptz,
     ended timestamptz
   )`,
  `create unique index if not exists permits_open on attractor.permits (provider, holder) where ended is null`,
  `create index if not exists permits_begun on attractor.permits (provider, begun)`,
  // Since when it has given its signs of life without a pause.
  `alter table attractor.workers add column if not exists steady timestamptz not null default now()`,
  // A worker of another version may be dead for as long as nobody of that version looks. After a time without database, all signs of life
  // are old, so somebody must have been there for as long.
  `create or replace view attractor.living_workers as
   select id from attractor.workers
   where beat > clock_timestamp() - interval '30 seconds' or not exists (
     select from attractor.workers witness
     where witness.beat > clock_timestamp() - interval '5 seconds'
       and witness.steady < clock_timestamp() - interval '30 seconds')`,
  // Number of permits that can be given out; null if there is no limit.
  `create or replace function attractor.room(most attractor.limits) returns integer
   language plpgsql security definer set search_path = pg_catalog as $$
   declare
     room integer;
     -- A variable, which an index can be searched for.
     since timestamptz := clock_timestamp() - make_interval(secs => most.rate_limit_period_sec);
   begin
     room := most.concurrency - (select count(*) from attractor.permits
       where provider = most.provider and begun is not null and ended is null
         and worker in (select id from attractor.living_workers));
     if room <= 0 or most.rate_limit_max is null then
       return room;
     end if;
     return least(room, most.rate_limit_max - (select count(*) from (
       select from attractor.permits where provider = most.provider and begun > since
       limit most.rate_limit_max) counted));
   end
   $$`,
  `create or replace function attractor.admit(of_provider text) returns void
   language plpgsql security definer set search_path = pg_catalog as $$
   declare
     most attractor.limits;
     room integer;
     counts_since timestamptz;
   begin
     select * into most from attractor.limits where provider = of_provider;
     -- Most looks find no room; they lock nothing. Without a limit, room is null, and all may begin.
     if attractor.room(most) <= 0 then
       return;
     end if;
     if most.provider is not null then
       select * into most from attractor.limits where provider = of_provider for update skip locked;
       if not found then
         return;
       end if;
       room := attractor.room(most);
       if room <= 0 then
         return;
       end if;
     end if;
     counts_since := coalesce(
       clock_timestamp() - make_interval(secs => most.rate_limit_period_sec), 'infinity');
     delete from attractor.permits
     where provider = of_provider and ended is not null and (begun is null or begun < counts_since);
     -- What a worker that is gone has left, and nobody has taken over.
     delete from attractor.permits
     where provider = of_provider and ended is null and asked < clock_timestamp() - interval '1 day'
       and (worker is null or worker not in (select id from attractor.living_workers));
     update attractor.permits set begun = clock_timestamp()
     where id in (select id from attractor.permits
       where provider = of_provider and begun is null and ended is null
         and worker in (select id from attractor.living_workers)
       order by asked, id limit room for update skip locked);
   end
   $$`,
  `create or replace function attractor.ask_permit(of_provider text, of_holder text, of_worker text)
     returns table (id bigint, has boolean)
   language plpgsql security definer set search_path = pg_catalog as $$
   declare
     since timestamptz;
     own bigint;
   begin
     -- A worker that takes over waits in the place of the one before.
     update attractor.permits set ended = clock_timestamp()
     where provider = of_provider and holder = of_holder and ended is null
     returning asked into since;
     insert into attractor.permits as permit (provider, holder, worker, asked)
     values (of_provider, of_holder, of_worker, coalesce(since, clock_timestamp()))
     returning permit.id into own;
     perform attractor.admit(of_provider);
     return query select permit.id, permit.begun is not null from attractor.permits permit where permit.id = own;
   end
   $$`,
  `create or replace function attractor.end_permit(of_provider text, of_id bigint, keeps_place boolean) returns void
   language plpgsql security definer set search_path = pg_catalog as $$
   declare
     kept text;
     since timestamptz;
   begin
     update attractor.permits set ended = clock_timestamp()
     where provider = of_provider and id = of_id and ended is null
     returning holder, asked into kept, since;
     if keeps_place and kept is not null then
       insert into attractor.permits (provider, holder, asked) values (of_provider, kept, since);
     end if;
     perform attractor.admit(of_provider);
   end
   $$`,
  `create or replace function attractor.begun_permits(of_worker text) returns setof bigint
   language plpgsql security definer set search_path = pg_catalog as $$
   declare
     waiting text;
   begin
     for waiting in
       select distinct provider from attractor.permits
       where worker = of_worker and begun is null and ended is null order by provider
     loop
       perform attractor.admit(waiting);
     end loop;
     return query select id from attractor.permits
       where worker = of_worker and begun is not null and ended is null;
   end
   $$`,
  `revoke all on attractor.living_workers from public`,
  `revoke all on function attractor.room(attractor.limits), attractor.admit(text), attractor.ask_permit(text, text, text),
     attractor.end_permit(text, bigint, boolean), attractor.begun_permits(text) from public`,
];
