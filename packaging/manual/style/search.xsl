<?xml version="1.0" encoding="UTF-8"?>
<!-- The search index of all pages, as JavaScript: [page, section, address, text] for each section, directive, term and log tag. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings"
                exclude-result-prefixes="str">
<xsl:import href="common.xsl"/>
<xsl:output method="text" encoding="UTF-8"/>

<xsl:template match="/">
  <xsl:text>"use strict";&#10;window.searchIndex = [&#10;</xsl:text>
  <xsl:apply-templates select="*" mode="page"><xsl:with-param name="file" select="'index.html'"/></xsl:apply-templates>
  <xsl:for-each select="$index//page">
    <xsl:apply-templates select="document(concat('../', ., '.xml'))/*" mode="page"><xsl:with-param name="file" select="concat(., '.html')"/></xsl:apply-templates>
  </xsl:for-each>
  <xsl:text>];&#10;</xsl:text>
</xsl:template>

<xsl:template match="manualpage | modulesynopsis" mode="page">
  <xsl:param name="file"/>
  <xsl:variable name="page" select="title | name"/>
  <xsl:call-template name="entry">
    <xsl:with-param name="page" select="$page"/>
    <xsl:with-param name="file" select="$file"/>
    <xsl:with-param name="of" select="*[not(self::title or self::name or self::section or self::directivesynopsis)]"/>
  </xsl:call-template>
  <xsl:for-each select=".//section | directivesynopsis[not(@location)] | dl/dt[@id] | .//tr[starts-with(td[1], 'UA0') and string-length(td[1]) = 6]">
    <xsl:call-template name="entry">
      <xsl:with-param name="page" select="$page"/>
      <xsl:with-param name="title" select="self::section/title | self::directivesynopsis/name | self::dt | self::tr/td[1]"/>
      <xsl:with-param name="file" select="$file"/>
      <xsl:with-param name="id" select="concat(@id, translate(self::directivesynopsis/name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), self::tr/td[1])"/>
      <xsl:with-param name="of" select="*[not(self::title or self::name or self::section)] | self::dt/following-sibling::dd[1]"/>
    </xsl:call-template>
  </xsl:for-each>
</xsl:template>

<xsl:template name="entry">
  <xsl:param name="page"/>
  <xsl:param name="title"/>
  <xsl:param name="file"/>
  <xsl:param name="id"/>
  <xsl:param name="of"/>
  <xsl:variable name="text"><xsl:apply-templates select="$of" mode="text"/></xsl:variable>
  <xsl:text>[</xsl:text>
  <xsl:call-template name="string"><xsl:with-param name="text" select="$page"/></xsl:call-template>
  <xsl:text>,</xsl:text>
  <xsl:call-template name="string"><xsl:with-param name="text" select="$title"/></xsl:call-template>
  <xsl:text>,</xsl:text>
  <xsl:call-template name="string"><xsl:with-param name="text" select="concat($file, substring('#', 1 + not(string($id))), $id)"/></xsl:call-template>
  <xsl:text>,</xsl:text>
  <xsl:call-template name="string"><xsl:with-param name="text" select="$text"/></xsl:call-template>
  <xsl:text>],&#10;</xsl:text>
</xsl:template>

<xsl:template name="string">
  <xsl:param name="text"/>
  <xsl:value-of select="concat('&quot;', str:replace(str:replace(normalize-space($text), '\', '\\'), '&quot;', '\&quot;'), '&quot;')"/>
</xsl:template>

<!-- Separate the words of adjacent elements. Tags and terms have their own entries. -->
<xsl:template match="*" mode="text"><xsl:text> </xsl:text><xsl:apply-templates mode="text"/><xsl:text> </xsl:text></xsl:template>
<xsl:template match="code | directive | module | program | var | em | strong | a" mode="text"><xsl:apply-templates mode="text"/></xsl:template>
<xsl:template match="table/tr[starts-with(td[1], 'UA0') and string-length(td[1]) = 6] | dl[dt/@id] | page | category/title" mode="text"/>

</xsl:stylesheet>
