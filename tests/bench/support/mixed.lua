-- Reads, lists and searches in turns: wrk … --script mixed.lua BASE -- ID
dofile(debug.getinfo(1).source:match("@(.*/)") .. "report.lua")

local paths = {}
local number = 0

init = function(words)
    for place = 1, 8 do
        paths[place] = wrk.path .. "/" .. words[1]
    end
    paths[9] = wrk.path .. "?page=2"
    paths[10] = wrk.path .. "?search=Ib%C3%A1%C3%B1ez"
end

request = function()
    number = number % #paths + 1
    return wrk.format("GET", paths[number])
end
