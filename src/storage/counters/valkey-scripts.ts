/*
 * The Lua scripts of valkey-counters.ts. ARGV[1] is the time in milliseconds, or '' for the server's clock. Values
 * contain their end, because a test may pass another clock than the one that expires keys.
 */

const NOW = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/**
 * The name of a secret ends in the server's run id, which changes with each start and each failover. A restart from a
 * snapshot loses the ids that were spent since. The new run id then also invalidates their challenges.
 */
const SECRET_KEY = (index: number) => `
local secretKey = KEYS[${index}] .. ':' .. string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
`

/** KEYS: windows. ARGV: limit and length in ms of each. Returns 1 or 0, then for each window the rest and the ms left. */
export const COUNT_SCRIPT = `${NOW}
local windows, admitted = {}, 1
for index, key in ipairs(KEYS) do
  local limit, length = tonumber(ARGV[index * 2]), tonumber(ARGV[index * 2 + 1])
  local window = { used = 0, limit = limit, left = length }
  local used, ends = string.match(redis.call('GET', key) or '', '^(%d+) (%d+)$')
  if used then
    local left = tonumber(ends) - now
    -- A window that ends later than a new one was started before the clock was set back.
    if left > 0 and left <= length then
      window.used, window.left = tonumber(used), left
    end
  end
  if window.used >= limit then admitted = 0 end
  windows[index] = window
end
local reply = { admitted }
for index, key in ipairs(KEYS) do
  local window = windows[index]
  local used = window.used + admitted
  if admitted == 1 then
    redis.call('SET', key, string.format('%.0f %.0f', used, now + window.left), 'PX', window.left)
  end
  table.insert(reply, math.max(0, window.limit - used))
  table.insert(reply, window.left)
end
return reply
`

/** KEYS: id, secret. ARGV: ms to keep the id, expected secret or ''. Returns 1 if the id was unspent and the secret valid. */
export const SPEND_SCRIPT = `${NOW}
if ARGV[3] ~= '' then
${SECRET_KEY(2)}
  local secret, ends = string.match(redis.call('GET', secretKey) or '', '^(%x+) (%d+)$')
  if secret ~= ARGV[3] or tonumber(ends) <= now then return 0 end
end
local spentUntil = tonumber(redis.call('GET', KEYS[1]) or '')
if spentUntil and spentUntil > now then return 0 end
local left = tonumber(ARGV[2])
if left > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f', now + left), 'PX', left)
end
return 1
`

/** KEYS: id. */
export const RELEASE_SCRIPT = `return redis.call('DEL', KEYS[1])`

/** KEYS: secret. ARGV: ms to keep it, value for a new one. Returns the stored secret. */
export const SECRET_SCRIPT = `${NOW}
${SECRET_KEY(1)}
local secret, ends = string.match(redis.call('GET', secretKey) or '', '^(%x+) (%d+)$')
if secret and tonumber(ends) > now then return secret end
local left = tonumber(ARGV[2])
redis.call('SET', secretKey, ARGV[3] .. string.format(' %.0f', now + left), 'PX', left)
return ARGV[3]
`
