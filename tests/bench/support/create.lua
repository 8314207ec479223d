-- Creates users, each with a different address: wrk … --script create.lua URL -- PREFIX
dofile(debug.getinfo(1).source:match("@(.*/)") .. "report.lua")

local prefix
local number = 0

init = function(words)
    prefix = words[1]
end

request = function()
    number = number + 1
    return wrk.format("POST", nil, nil, string.format(
        '{"name":"Persona %d","email":"%s.%d@new.example","password":"correct horse battery staple","role":"user"}',
        number, prefix, number))
end
