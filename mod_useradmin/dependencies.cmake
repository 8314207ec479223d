# Finds the dependencies. If any are missing, reports the packages that contain them.

# Records a missing dependency. The code below reports all of them together.
function(useradmin_note_missing what debian fedora)
  set_property(GLOBAL APPEND PROPERTY USERADMIN_MISSING
    "  ${what}: install ${debian} (Debian, Ubuntu) or ${fedora} (Fedora, RHEL)")
endfunction()

# useradmin_need(<target> <pkg-config module> <Debian package> <Fedora package>)
# creates PkgConfig::<target>, or records what to install.
function(useradmin_need target module debian fedora)
  if(PkgConfig_FOUND)
    pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(NOT ${target}_FOUND)
    useradmin_note_missing(${module} ${debian} ${fedora})
  endif()
endfunction()

find_package(PkgConfig QUIET)
if(NOT PkgConfig_FOUND)
  useradmin_note_missing(pkg-config pkg-config pkgconf-pkg-config)
endif()

find_program(APXS NAMES apxs apxs2 PATHS /usr/bin /usr/sbin)
if(NOT APXS)
  useradmin_note_missing("apxs of Apache httpd 2.4" apache2-dev httpd-devel)
else()
  execute_process(COMMAND ${APXS} -q INCLUDEDIR OUTPUT_VARIABLE HTTPD_INCLUDE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${APXS} -q LIBEXECDIR OUTPUT_VARIABLE HTTPD_MODULE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${HTTPD_MODULE_DIR}" OR NOT EXISTS "${HTTPD_INCLUDE_DIR}/httpd.h")
    message(FATAL_ERROR "${APXS} is no apxs of an Apache httpd with its headers: say -DAPXS=/path/to/apxs")
  endif()
endif()

useradmin_need(APR apr-1 libapr1-dev apr-devel)
useradmin_need(APRUTIL apr-util-1 libaprutil1-dev apr-util-devel)
useradmin_need(CLI11 CLI11 libcli11-dev cli11-devel)
useradmin_need(CURL libcurl libcurl4-openssl-dev libcurl-devel)
useradmin_need(CJSON libcjson libcjson-dev cjson-devel)
useradmin_need(ARGON2 libargon2 libargon2-dev libargon2-devel)
useradmin_need(CRYPTO libcrypto libssl-dev openssl-devel)
useradmin_need(SODIUM libsodium libsodium-dev libsodium-devel)
useradmin_need(CRYPT libcrypt libcrypt-dev libxcrypt-devel)
useradmin_need(UTF8PROC libutf8proc libutf8proc-dev utf8proc-devel)
useradmin_need(PQ libpq libpq-dev libpq-devel)
useradmin_need(SQLITE sqlite3 libsqlite3-dev sqlite-devel)
useradmin_need(HIREDIS hiredis libhiredis-dev hiredis-devel)
useradmin_need(ZLIB zlib zlib1g-dev zlib-devel)
# Optional: TLS to Redis. hiredis 0.14, as in Debian 12, does not support it.
if(PkgConfig_FOUND)
  pkg_check_modules(HIREDIS_SSL QUIET IMPORTED_TARGET GLOBAL hiredis_ssl libssl)
endif()
if((USERADMIN_MANUAL OR USERADMIN_TESTS) AND NOT XSLTPROC)
  useradmin_note_missing(xsltproc xsltproc libxslt)
endif()
if(USERADMIN_TESTS)
  useradmin_need(CPPUTEST cpputest libcpputest-dev cpputest-devel)
endif()

get_property(missing GLOBAL PROPERTY USERADMIN_MISSING)
if(missing)
  list(JOIN missing "\n" missing)
  message(FATAL_ERROR "What the build needs and did not find:\n${missing}")
endif()

# A module uses the APR and APR-util libraries of the httpd that loads it, so only their headers are needed.
add_library(useradmin_apr_headers INTERFACE)
target_include_directories(useradmin_apr_headers SYSTEM INTERFACE ${APR_INCLUDE_DIRS} ${APRUTIL_INCLUDE_DIRS})
target_compile_options(useradmin_apr_headers INTERFACE ${APR_CFLAGS_OTHER} ${APRUTIL_CFLAGS_OTHER})

add_library(useradmin_httpd_headers INTERFACE)
target_include_directories(useradmin_httpd_headers SYSTEM INTERFACE ${HTTPD_INCLUDE_DIR})
target_link_libraries(useradmin_httpd_headers INTERFACE useradmin_apr_headers)
