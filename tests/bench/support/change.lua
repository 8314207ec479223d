-- Reads the users in turn, and changes one in every SHARE requests: wrk … --script change.lua BASE -- SHARE BODY ID…
dofile(debug.getinfo(1).source:match("@(.*/)") .. "report.lua")

local ids
local share
local body
local number = 0

init = function(words)
    share = tonumber(table.remove(words, 1))
    body = table.remove(words, 1)
    ids = words
end

request = function()
    number = number + 1
    local path = wrk.path .. "/" .. ids[number % #ids + 1]
    if number % share ~= 0 then
        return wrk.format("GET", path)
    end
    return wrk.format("PUT", path, nil, string.format(body, number))
end
